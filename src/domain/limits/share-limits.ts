import { SECOND } from '../../shared/lifetimes.ts';
import type { LimitsDeps } from './deps.ts';
import { shareBudgets } from './share-budget.ts';
import { restAfterFailure } from '../work/rest-after-failure.ts';
import { repeat } from '../../shared/repeat.ts';

/** A count reaches the other processes in two turns, one for storing and one for reading, so within a second. */
const TURN = 400;

/** A count lasts a minute. To look at all of them costs more than to keep some of them for a few seconds longer. */
const FORGET_EVERY = 5 * SECOND;

const FIRST_REST = 1 * SECOND;

/**
 * Shares limits and the budgets of the modern clients with the other processes, at once and in regular turns. The
 * returned function stores the last news and stops the turns.
 */
export async function startSharing(context: LimitsDeps): Promise<() => Promise<void>> {
  const resting = { logger: context.logger, firstRest: FIRST_REST };
  const counting = { ...resting, message: 'limits are counted alone' };
  const syncCounts = restAfterFailure(counting, () => context.counts.sync());
  const knowing = { ...resting, message: 'the budget is known alone' };
  const syncBudget = restAfterFailure(knowing, () => shareBudgets(context));
  const takeTurn = async () => {
    await Promise.all([syncCounts(), syncBudget()]);
  };
  await takeTurn();
  const sharing = repeat(takeTurn, TURN);
  // Memory is freed on time, also while the database answers slowly.
  const forgetting = repeat(async () => context.counts.forgetEnded(), FORGET_EVERY);
  return async () => {
    await Promise.all([sharing.stop(), forgetting.stop()]);
    await takeTurn();
  };
}
