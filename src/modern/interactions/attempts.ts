import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

const WINDOW_SECONDS = 15 * 60;
const PER_EMAIL_AND_ADDRESS = 10;
const PER_ADDRESS = 100;

export interface Attempt {
  email: string;
  address: string;
}

const keyOf = ({ email, address }: Attempt) => `${email.toLowerCase()} ${address}`;

/**
 * Brake on guessing passwords. The limit for one e-mail also names the address, so that nobody can lock somebody else
 * out from afar. Counted before the password is checked, so that parallel guesses do not slip through.
 */
export function createAttempts() {
  const byPerson = new RateLimiterMemory({ points: PER_EMAIL_AND_ADDRESS, duration: WINDOW_SECONDS });
  const byAddress = new RateLimiterMemory({ points: PER_ADDRESS, duration: WINDOW_SECONDS });
  return {
    /** Seconds to wait, or 0 when this attempt may go on. */
    async take(attempt: Attempt): Promise<number> {
      try {
        await byAddress.consume(attempt.address);
        await byPerson.consume(keyOf(attempt));
        return 0;
      } catch (limit) {
        if (limit instanceof RateLimiterRes) return Math.ceil(limit.msBeforeNext / 1000);
        throw limit;
      }
    },
    async succeed(attempt: Attempt): Promise<void> {
      await byAddress.reward(attempt.address);
      await byPerson.delete(keyOf(attempt));
    },
  };
}

export type Attempts = ReturnType<typeof createAttempts>;
