import type { Request, Response } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { askToWait, secondsToWait } from '../brake.ts';
import { PASSWORD_ATTEMPTS_SECONDS } from '../lifetimes.ts';

const PER_EMAIL_AND_ADDRESS = 10;
const PER_ADDRESS = 100;

interface Attempt {
  email: string;
  address: string;
}

const keyOf = ({ email, address }: Attempt) => `${email.toLowerCase()} ${address}`;

/**
 * Brake on guessing passwords. The limit for one e-mail address also counts by network address: a caller at another
 * network address cannot lock a person out.
 */
export function createAttempts() {
  const duration = PASSWORD_ATTEMPTS_SECONDS;
  const byPerson = new RateLimiterMemory({ points: PER_EMAIL_AND_ADDRESS, duration });
  const byAddress = new RateLimiterMemory({ points: PER_ADDRESS, duration });
  return {
    /** Seconds to wait, or 0 when this attempt may go on. */
    take: (attempt: Attempt): Promise<number> =>
      secondsToWait(async () => {
        await byAddress.consume(attempt.address);
        await byPerson.consume(keyOf(attempt));
      }),
    async succeed(attempt: Attempt): Promise<void> {
      await byAddress.reward(attempt.address);
      await byPerson.delete(keyOf(attempt));
    },
  };
}

export type PasswordAttemptLimiter = ReturnType<typeof createAttempts>;

interface SignInAttempt {
  email: string;
  req: Request;
  res: Response;
}

/**
 * Checks a password under the brake on guessing. `outcome` is the result of `check`; a falsy result is a wrong
 * password. After too many attempts nothing is checked, `Retry-After` is set and `tooMany` says why. The attempt is
 * counted before the check: parallel guesses cannot pass the limit.
 */
export async function checkPasswordWithLimit<T>(
  attempts: PasswordAttemptLimiter,
  { email, req, res }: SignInAttempt,
  check: () => Promise<T>,
): Promise<{ outcome: T } | { tooMany: string }> {
  const attempt = { email, address: req.socket.remoteAddress ?? '' };
  const wait = await attempts.take(attempt);
  if (wait > 0) return { tooMany: `Too many attempts. ${askToWait(res, wait)} and try again.` };
  const outcome = await check();
  if (outcome) await attempts.succeed(attempt);
  return { outcome };
}
