import type { WireDeps } from './deps.ts';
import { addressKey, senderOf } from '../../shared/net/addresses.ts';
import { OAuthError } from '../../shared/refusals/oauth-error.ts';

/**
 * Wrong client secrets are counted per client and address, and per client over all addresses (docs/threats.md T12).
 * Above either limit a wrong secret gets 429, and the right secret is still served. An app may share its address with a
 * guesser, and only a comparison tells a guess from the right secret.
 */
const PER_ADDRESS = 10;
const PER_CLIENT = 30;

/**
 * Of all clients together, from one address, or from one /48 of version 6. Without it whoever invents a new client id for
 * each guess would meet no limit, and each id takes memory for a minute. Each process counts alone.
 */
const PER_ADDRESS_IN_ALL = 1000;

/**
 * At most this many wrong secrets of one client from one address are compared in a minute. The limit bounds the work of
 * the bridge and the speed of guessing.
 */
const LOOKS = 3000;

/**
 * Longer than any client id. A stranger invents ids as long as a body, and the counts of a minute are kept in memory: of
 * a longer id only the beginning counts.
 */
const LONGEST_ID = 200;

function slowDown(retryAfter: number): OAuthError {
  return new OAuthError('slow_down', 'Too many failed attempts. Try again later.', {
    status: 429,
    retryAfter,
    detail: 'too many wrong secrets within a minute',
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

const everywhereKey = (clientId: string) => ['guesses', clientId.slice(0, LONGEST_ID)];
const hereKey = (clientId: string, address: string) => [...everywhereKey(clientId), addressKey(address)];

/** The limit over all processes. A minute begins with the first wrong secret. */
export function createGuessLimit({ counts }: WireDeps): GuessLimit {
  return {
    check(clientId, address) {
      const { points, secondsLeft } = counts.look(hereKey(clientId, address));
      if (points >= LOOKS) throw slowDown(secondsLeft);
    },
    countWrong(clientId, address, how) {
      const all = counts.count(['guesses from', senderOf(address)], { isShared: false });
      const isOver = all.points > PER_ADDRESS_IN_ALL;
      if (isOver && !how.isShared) throw slowDown(all.secondsLeft);
      const here = counts.count(hereKey(clientId, address), how);
      const everywhere = counts.count(everywhereKey(clientId), how);
      if (here.points > PER_ADDRESS) throw slowDown(here.secondsLeft);
      if (everywhere.points > PER_CLIENT) throw slowDown(everywhere.secondsLeft);
      // As for an invented id: nobody may tell one from the other.
      if (isOver) throw slowDown(all.secondsLeft);
    },
  };
}
