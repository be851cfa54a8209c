import type { Context } from '../../domain/context.ts';
import { addressKey } from '../../shared/addresses.ts';
import { OAuthError } from '../../shared/oauth-error.ts';

/**
 * Wrong client secrets are counted per client and address, and per client over all addresses (protocol T12). The first
 * count refuses before the secret is looked at; the second only slows wrong answers, so that nobody can lock an app out
 * by guessing at it from elsewhere.
 */
const PER_ADDRESS = 10;
const PER_CLIENT = 30;

function slowDown(retryAfter: number): OAuthError {
  return new OAuthError('slow_down', 'Too many failed attempts. Try again later.', {
    status: 429,
    retryAfter,
  });
}

export interface GuessLimit {
  /** @throws {OAuthError} 429 when this address has guessed too often at this client */
  check(clientId: string, address: string): void;
  /**
   * Counts a wrong secret; an invented client id is no news for the other processes, and there are too many of them.
   * @throws {OAuthError} 429 in place of the refusal when there were too many
   */
  count(clientId: string, address: string, how: { isShared: boolean }): void;
}

/** The limit over all processes, within a minute of the first guess. */
export function createGuessLimit({ counts }: Context): GuessLimit {
  return {
    check(clientId, address) {
      const { points, secondsLeft } = counts.look(['guesses', clientId, addressKey(address)]);
      if (points >= PER_ADDRESS) throw slowDown(secondsLeft);
    },
    count(clientId, address, how) {
      counts.count(['guesses', clientId, addressKey(address)], how);
      const { points, secondsLeft } = counts.count(['guesses', clientId], how);
      if (points > PER_CLIENT) throw slowDown(secondsLeft);
    },
  };
}
