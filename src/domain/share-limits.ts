import { MINUTE } from '../shared/lifetimes.ts';
import type { Context } from './context.ts';
import { shareBudget } from './share-budget.ts';

/** Telling and learning take two turns, so that what one process counted is known to all within a second. */
const TURN = 400;

const TURNS_PER_MINUTE = MINUTE / TURN;

/** A database that fails is left alone for up to half a minute. */
const LONGEST_REST = 64;

/** Work whose failure costs nobody a call: it is logged at most once a minute, and rests for longer each time. */
function tolerant(context: Context, message: string, work: () => Promise<void>): () => Promise<void> {
  let turn = 0;
  let restsUntil = 0;
  let silentUntil = 0;
  let rest = 1;
  return async () => {
    turn += 1;
    if (turn < restsUntil) return;
    try {
      await work();
      rest = 1;
    } catch (error) {
      rest = Math.min(rest * 2, LONGEST_REST);
      restsUntil = turn + rest;
      if (turn < silentUntil) return;
      silentUntil = turn + TURNS_PER_MINUTE;
      context.logger.warn(message, { error });
    }
  };
}

/**
 * Shares limits and the modern client's budget with the other processes from here on, once at once. The answer tells
 * them the last news and ends it.
 */
export async function startSharing(context: Context): Promise<() => Promise<void>> {
  const syncCounts = tolerant(context, 'limits are counted alone', () => context.counts.sync());
  const syncBudget = tolerant(context, 'the budget is known alone', () => shareBudget(context));
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
