import type { WireDeps } from './deps.ts';
import { addressKey } from '../../shared/net/addresses.ts';
import { OAuthError } from '../../shared/oauth-error.ts';

/**
 * Wrong client secrets are counted per client and address, and per client over all addresses (docs/threats.md T12).
 * Above either limit a wrong secret gets 429, and the right secret is still served. An app may share its address with a
 * guesser, and only a comparison tells a guess from the right secret.
 */
const PER_ADDRESS = 10;
const PER_CLIENT = 30;

/**
 * At most this many wrong secrets of one client from one address are compared in a minute. The limit bounds the work of
 * the bridge and the speed of guessing.
 */
const LOOKS = 3000;

function slowDown(retryAfter: number): OAuthError {
  return new OAuthError('slow_down', 'Too many failed attempts. Try again later.', {
    status: 429,
    retryAfter,
  });
}

export interface GuessLimit {
  /** @throws {OAuthError} 429 when no more secrets of this client from this address are compared */
  check(clientId: string, address: string): void;
  /**
   * Counts a wrong secret. An invented client id is not shared with other processes: there are too many invented ids.
   * @throws {OAuthError} 429 in place of the refusal when there were too many wrong secrets
   */
  countWrong(clientId: string, address: string, how: { isShared: boolean }): void;
}

/** The limit over all processes. A minute begins with the first wrong secret. */
export function createGuessLimit({ counts }: WireDeps): GuessLimit {
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
