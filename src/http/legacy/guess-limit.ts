import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { OAuthError } from '../../shared/oauth-error.ts';

/**
 * Wrong client secrets are counted per client and address, and per client over all addresses (protocol T12). The first
 * count refuses before the secret is looked at; the second only slows wrong answers, so that nobody can lock an app out
 * by guessing at it from elsewhere.
 */
const WINDOW_SECONDS = 60;
const PER_ADDRESS = 10;
const PER_CLIENT = 30;

function slowDown(state: RateLimiterRes): OAuthError {
  return new OAuthError('slow_down', 'Too many failed attempts. Try again later.', {
    status: 429,
    retryAfter: Math.max(1, Math.ceil(state.msBeforeNext / 1000)),
  });
}

export interface GuessLimit {
  /** @throws {OAuthError} 429 when this address has guessed too often at this client */
  check(clientId: string, address: string): Promise<void>;
  /** Counts a wrong secret. @throws {OAuthError} 429 in place of the refusal when there were too many */
  count(clientId: string, address: string): Promise<void>;
}

/** Counters of one process. */
export function createGuessLimit(): GuessLimit {
  const byAddress = new RateLimiterMemory({ points: PER_ADDRESS, duration: WINDOW_SECONDS });
  const byClient = new RateLimiterMemory({ points: PER_CLIENT, duration: WINDOW_SECONDS });
  return {
    async check(clientId, address) {
      const state = await byAddress.get(`${clientId}|${address}`);
      if (state && state.consumedPoints >= PER_ADDRESS) throw slowDown(state);
    },
    async count(clientId, address) {
      await byAddress.penalty(`${clientId}|${address}`);
      const state = await byClient.penalty(clientId);
      if (state.consumedPoints > PER_CLIENT) throw slowDown(state);
    },
  };
}
