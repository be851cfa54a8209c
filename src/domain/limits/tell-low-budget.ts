import { nameOfWindow } from '../../upstream/known-budget.ts';
import type { MainApi } from '../../upstream/main-api.ts';
import { createOnceAMinute } from '../work/once-a-minute.ts';
import type { LimitsDeps } from './deps.ts';
import { type BudgetApp, mostIn } from './taken.ts';

/** The share of a budget below which little is left. */
export const LITTLE_LEFT = 0.1;

const isDue = createOnceAMinute();

/** The tightest window that is open, as the last report of any process says; undefined where a report names none. */
function tightestOf(mainApi: MainApi, now: number): { name: string; left: number } | undefined {
  const { windows, saidAt } = mainApi.budget();
  const open = windows.filter(({ validMs }) => saidAt + validMs > now);
  const [tightest] = open.toSorted((one, other) => one.left / one.limit - other.left / other.limit);
  return tightest && { name: nameOfWindow(tightest), left: tightest.left };
}

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
  const { name: window, left } = tightestOf(mainApi, context.clock.now()) ?? {};
  const counted = mainApi.windows().find(({ name }) => name === window) ?? mainApi.windows()[0];
  const most = counted && mostIn(context, modernClientId, counted);
  context.logger.warn('little is left of a budget at the new API', { modernClientId, window, left, ...most });
}
