import { SECOND } from '../../shared/lifetimes.ts';
import type { LimitsDeps } from './deps.ts';
import { shareBudgets } from './share-budget.ts';
import { restAfterFailure } from '../work/rest-after-failure.ts';

/** A count reaches the other processes in two turns, one for storing and one for reading, so within a second. */
const TURN = 400;

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
  let running: Promise<void> | undefined;
  const takeTurn = (): Promise<void> =>
    (running ??= Promise.all([syncCounts(), syncBudget()]).then(() => {
      running = undefined;
    }));
  await takeTurn();
  const timer = setInterval(() => {
    context.counts.forgetEnded();
    void takeTurn();
  }, TURN);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
    await takeTurn();
  };
}
