import { DAY } from '../../shared/lifetimes.ts';
import { takeShadowRequests } from '../../store/posts/shadow-requests.ts';
import type { LimitsDeps } from './deps.ts';
import { budgetKnownHere } from './budget-reading.ts';

/**
 * The part of a client's budget that comparisons of passed reads may use: at most a twentieth of the requests that are
 * left, and nothing below three tenths of the budget. The requests are counted for a day over all processes, so
 * comparisons stay within this part of every window of the budget: a quarter of an hour, a day or thirty days.
 */

const OFF_BELOW = 0.3;

/** Two days of the count may touch one window of the budget, so each day gets half of a twentieth. */
const SHARE = 0.05 / 2;

/**
 * Assumed while the new API has not reported a budget: the smallest window that the new API is known to give a client.
 */
const SMALLEST_WINDOW = 100;

/** How long a report of the new API is believed. */
const BELIEVED = DAY;

/**
 * How many requests may be sent in a day. The share that is left is a factor too: the longest windows give for each day
 * at least as many requests as the shortest window has.
 */
export function shadowLimit({ fewest, share, age }: { fewest: number; share: number; age: number }): number {
  if (share < OFF_BELOW) return 0;
  const left = age < BELIEVED ? fewest : SMALLEST_WINDOW;
  return Math.floor(SHARE * left * share);
}

function limitOf(context: LimitsDeps, modernClientId: string): number {
  const mainApi = context.sides.mainApiFor(modernClientId);
  const now = context.clock.now();
  if (mainApi.pausedUntil() > now) return 0;
  const known = budgetKnownHere(context, modernClientId);
  const fewest = Math.min(...(known?.windows ?? []).map(({ left }) => left), Number.MAX_SAFE_INTEGER);
  const age = known ? now - known.saidAt : Number.POSITIVE_INFINITY;
  return shadowLimit({ fewest, share: mainApi.remainingShare(), age });
}

/** Counts requests that a comparison is about to send; false where the comparison must not send them. */
export async function takeForShadow(
  context: LimitsDeps,
  { modernClientId, requests }: { modernClientId: string; requests: number },
): Promise<boolean> {
  const limit = limitOf(context, modernClientId);
  if (requests > limit) return false;
  if (requests === 0) return true;
  const now = context.clock.now();
  return takeShadowRequests(context.store, { modernClientId, requests, limit, since: now - DAY, now });
}
