import type { Context } from './context.ts';
import { DAY, MINUTE, REST_MAX } from '../shared/lifetimes.ts';
import { redateRows } from '../store/work/redate-waiting.ts';

/** A mail waits until the next morning at most, and a message a little longer than a day. */
const WAIT_MAX = 2 * DAY;

/** Longer than a claim of a mail or a message lasts. */
const CLAIMED_MAX = 20 * MINUTE;

/**
 * A clock that ran far ahead dates the next attempts of what waits too late. After the clock was set right they would wait as
 * long as it had been ahead.
 */
export async function redateWaiting({ instance, clock, store }: Context): Promise<void> {
  if (instance.isCopy()) return;
  const now = clock.now();
  const latest = now + WAIT_MAX;
  await redateRows(store.durable, { latest, latestOwed: now + REST_MAX, next: now + CLAIMED_MAX });
}
