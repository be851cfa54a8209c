import { setTimeout as delay } from 'node:timers/promises';
import { LOOK_AGAIN, SILENT_AFTER } from '../../../shared/lifetimes.ts';
import { Unavailable } from '../../../upstream/outcomes.ts';
import type { GrantsDeps } from '../deps.ts';
import type { BreakerTurn } from './stop/breaker-rules.ts';
import { findTurn } from './stop/doubt-breaker.ts';
import type { RefreshSlot } from './refresh-limit.ts';

/**
 * How one process behaves while only a few refresh tokens may be presented at once. The limit itself stands in the
 * database. This file avoids connections that could not be used, and lets waiting callers share one read of the
 * database.
 */

/** A waiting caller gives up after this time and reads the grant again. Answers that take longer count as lost. */
const PATIENCE = SILENT_AFTER;

/**
 * Takes a place for a turn; undefined when the caller has to wait for the answers to other presentations.
 * @throws {Unavailable} presenting is stopped
 */
export function enter(
  { clock, places }: Pick<GrantsDeps, 'clock' | 'places'>,
  turn: BreakerTurn,
): RefreshSlot | undefined {
  if (turn.kind === 'stopped') {
    const retryAfter = Math.max(turn.until - clock.now(), 1000);
    throw new Unavailable('refreshing is stopped for a while', { retryAfter });
  }
  return turn.kind === 'wait' ? undefined : places.take(turn);
}

/** The next read of the breaker, shared by all waiting callers of this process. */
function lookAgain(context: GrantsDeps): Promise<BreakerTurn> {
  return context.flights.run('a turn to present', async () => {
    await delay(LOOK_AGAIN);
    return findTurn(context);
  });
}

/**
 * Waits for a place; undefined when the wait takes too long.
 * @throws {Unavailable} presenting is stopped
 */
export async function waitToEnter(context: GrantsDeps): Promise<RefreshSlot | undefined> {
  const until = performance.now() + PATIENCE;
  while (performance.now() < until) {
    const place = enter(context, await lookAgain(context));
    if (place !== undefined) return place;
  }
  return undefined;
}
