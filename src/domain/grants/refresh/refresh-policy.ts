import { REFRESH_AFTER_SHARE, REST_MAX, RETRY_BASE, RETRY_MAX } from '../../../shared/lifetimes.ts';
import type { Grant } from '../../../store/tables/tables.ts';

/** Pure rules that tell when a refresh token may be presented (docs/decisions/0005). `chance` is random, in [0, 1). */

/** The times of a pair that was requested at `sentAt` and lives for `lifetime`, in milliseconds. */
export function pairTimes(
  sentAt: number,
  lifetime: number,
  chance: number,
): { expiresAt: number; refreshAt: number } {
  const share = REFRESH_AFTER_SHARE - 0.1 * chance;
  return { expiresAt: sentAt + lifetime, refreshAt: sentAt + Math.floor(lifetime * share) };
}

interface BackOffLimits {
  asked?: number | undefined;
  longest?: number;
}

/**
 * Back-off in milliseconds after the given number of attempts, doubling with jitter up to `longest`; never shorter than
 * `asked`.
 */
export function backOff(
  attempts: number,
  chance: number,
  { asked = 0, longest = RETRY_MAX }: BackOffLimits = {},
): number {
  const ceiling = Math.min(RETRY_BASE * 2 ** Math.min(attempts, 20), longest);
  return Math.max(Math.floor(ceiling * (0.5 + chance / 2)), asked);
}

/** Until when a grant rests; 0 when it need not rest. */
export function restsUntil({ retry_at: until }: Pick<Grant, 'retry_at'>, now: number): number {
  return until > now && until <= now + REST_MAX ? until : 0;
}

/**
 * When a grant in doubt may next be looked into: after its access token has expired, after the quiet time since a byte
 * may have left, and after its back-off.
 */
export function doubtEndsAt(grant: Grant, quiet: number, now: number): number {
  return Math.max(grant.access_expires_at, (grant.presented_at ?? 0) + quiet, restsUntil(grant, now));
}

/**
 * Whether a version in doubt may be presented once more. Either the server says that the refresh token is live. Or the
 * server cannot say, and no other grant of the account would be lost if the server revoked the whole consent.
 */
export function mayPresentAgain(isLive: boolean | undefined, siblings: number): boolean {
  return isLive ?? siblings === 0;
}
