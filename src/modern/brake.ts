/** Shared by all brakes that use a rate limiter. */
import type { Response } from 'express';
import { RateLimiterRes } from 'rate-limiter-flexible';

/** Whole seconds to wait. 0 when no limiter in `consume` refuses. */
export async function secondsToWait(consume: () => Promise<unknown>): Promise<number> {
  try {
    await consume();
    return 0;
  } catch (limit) {
    if (limit instanceof RateLimiterRes) return Math.ceil(limit.msBeforeNext / 1000);
    throw limit;
  }
}

/** Sets `Retry-After` and returns the sentence for the page: whole minutes, rounded up, without a full stop. */
export function askToWait(res: Response, seconds: number): string {
  res.set('Retry-After', String(seconds));
  const minutes = Math.ceil(seconds / 60);
  return `Please wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`;
}
