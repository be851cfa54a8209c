import { DAY } from '../../shared/lifetimes.ts';
import { takeShadowRequests } from '../../store/posts/shadow-requests.ts';
import type { Context } from '../context.ts';
import { budgetKnownHere } from './budget-reading.ts';

/**
 * What comparisons of passed reads may take of a client's budget: at most a twentieth of what is left, and nothing below
 * three tenths. Counted for a day over all processes, so that no window of the budget, of a quarter of an hour, a day or
 * thirty days, gives more.
 */

const OFF_BELOW = 0.3;

/** Two windows of the count may stand in one of the budget, so that each has half of a twentieth. */
const SHARE = 0.05 / 2;

/** Assumed while the new API has not said what is left: the smallest window that it is known to give a client. */
const SMALLEST_WINDOW = 100;

/** So long what it said is believed. */
const BELIEVED = DAY;

/**
 * How many requests may be sent in a day. The share that is left counts too, for the longest windows give at least as many
 * for a day as the shortest one has.
 */
export function shadowLimit({ fewest, share, age }: { fewest: number; share: number; age: number }): number {
  if (share < OFF_BELOW) return 0;
  const left = age < BELIEVED ? fewest : SMALLEST_WINDOW;
  return Math.floor(SHARE * left * share);
}

function limitOf(context: Context, modernClientId: string): number {
  const mainApi = context.sides.mainApiFor(modernClientId);
  const now = context.clock.now();
  if (mainApi.budget().pausedUntil > now) return 0;
  const known = budgetKnownHere(context, modernClientId);
  const fewest = Math.min(...(known?.windows ?? []).map(({ left }) => left), Number.MAX_SAFE_INTEGER);
  const age = known ? now - known.saidAt : Number.POSITIVE_INFINITY;
  return shadowLimit({ fewest, share: mainApi.remainingShare(), age });
}

/** Counts requests that a comparison is about to send; false where it must not. */
export async function takeForShadow(
  context: Context,
  { modernClientId, requests }: { modernClientId: string; requests: number },
): Promise<boolean> {
  const limit = limitOf(context, modernClientId);
  if (requests > limit) return false;
  if (requests === 0) return true;
  const now = context.clock.now();
  return takeShadowRequests(context.store, { modernClientId, requests, limit, since: now - DAY, now });
}
