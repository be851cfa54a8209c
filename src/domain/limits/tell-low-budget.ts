import type { OpenWindow } from '../../upstream/known-budget.ts';
import { createOnceAMinute } from '../work/once-a-minute.ts';
import type { LimitsDeps } from './deps.ts';
import { type BudgetApp, mostIn } from './taken.ts';

/** The share of a budget below which little is left. */
export const LITTLE_LEFT = 0.1;

const isDue = createOnceAMinute();

const shareOf = ({ left, limit }: OpenWindow): number => left / limit;

/**
 * Tells which app has sent most of the requests of a client, while little is left of the client's budget: once a minute and
 * process. Each process knows its own requests alone.
 */
export function tellLowBudget(
  context: LimitsDeps,
  { modernClientId }: Pick<BudgetApp, 'modernClientId'>,
): void {
  const mainApi = context.sides.mainApiFor(modernClientId);
  if (mainApi.remainingShare() >= LITTLE_LEFT || !isDue(context, modernClientId)) return;
  const [tightest] = mainApi.windows().toSorted((one, other) => shareOf(one) - shareOf(other));
  if (!tightest) return;
  const { name: window, left } = tightest;
  const most = mostIn(context, modernClientId, tightest);
  context.logger.warn('little is left of a budget at the new API', { modernClientId, window, left, ...most });
}
