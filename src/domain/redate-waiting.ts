import type { Context } from './context.ts';
import { DAY, MINUTE, REST_MAX } from '../shared/lifetimes.ts';
import { redateRows } from '../store/work/redate-waiting.ts';

/** A mail waits until the next morning at most, and a message a little longer than a day. */
const WAIT_MAX = 2 * DAY;

/** Longer than a receiver rests. */
const RECEIVER_RESTS_MAX = 2 * REST_MAX;

/** Longer than a claim of a mail or a message lasts. */
const CLAIMED_MAX = 20 * MINUTE;

/**
 * A clock that ran far ahead dates the next attempts of what waits too late. After the clock was set right they would wait as
 * long as it had been ahead.
 */
export async function redateWaiting({ instance, clock, store }: Context): Promise<void> {
  if (instance.isCopy()) return;
  // A machine that slept is behind for a moment, and would take right dates for wrong ones.
  const now = Math.max(clock.now(), await store.now());
  await redateRows(store.durable, {
    latest: now + WAIT_MAX,
    latestOwed: now + REST_MAX,
    latestRest: now + RECEIVER_RESTS_MAX,
    next: now + CLAIMED_MAX,
  });
}
