import type { Context } from '../../domain/context.ts';
import { addressKey } from '../../shared/net/addresses.ts';
import { OAuthError } from '../../shared/oauth-error.ts';

/**
 * Wrong client secrets are counted per client and address, and per client over all addresses (docs/threats.md T12).
 * Above either count the wrong ones are refused with 429, and a right one is served: an app may share its address with
 * somebody who guesses, and only a look tells a guess from the right secret.
 */
const PER_ADDRESS = 10;
const PER_CLIENT = 30;

/** So many wrong ones of an address are looked at in a minute. It bounds the work, and how fast anybody guesses. */
const LOOKS = 3000;

function slowDown(retryAfter: number): OAuthError {
  return new OAuthError('slow_down', 'Too many failed attempts. Try again later.', {
    status: 429,
    retryAfter,
  });
}

export interface GuessLimit {
  /** @throws {OAuthError} 429 when no more secrets of this client are looked at from this address */
  check(clientId: string, address: string): void;
  /**
   * Counts a wrong secret; an invented client id is no news for the other processes, and there are too many of them.
   * @throws {OAuthError} 429 in place of the refusal when there were too many
   */
  countWrong(clientId: string, address: string, how: { isShared: boolean }): void;
}

/** The limit over all processes, within a minute of the first guess. */
export function createGuessLimit({ counts }: Context): GuessLimit {
  return {
    check(clientId, address) {
      const { points, secondsLeft } = counts.look(['guesses', clientId, addressKey(address)]);
      if (points >= LOOKS) throw slowDown(secondsLeft);
    },
    countWrong(clientId, address, how) {
      const here = counts.count(['guesses', clientId, addressKey(address)], how);
      const everywhere = counts.count(['guesses', clientId], how);
      if (here.points > PER_ADDRESS) throw slowDown(here.secondsLeft);
      if (everywhere.points > PER_CLIENT) throw slowDown(everywhere.secondsLeft);
    },
  };
}
