import { LRUCache } from 'lru-cache';
import type { Context } from '../../domain/context.ts';
import { addressKey } from '../../shared/addresses.ts';
import { DAY } from '../../shared/lifetimes.ts';
import { OAuthError } from '../../shared/oauth-error.ts';

/**
 * Wrong client secrets are counted per client and address, and per client over all addresses (protocol T12). The first
 * count refuses before the secret is looked at. It does not where the right secret came from that address before: an app
 * may share its address with somebody who guesses. Then every secret is looked at, so often a minute, and the wrong ones
 * alone wait. The second count only slows wrong answers, so that nobody can lock an app out by guessing at it from
 * elsewhere.
 */
const PER_ADDRESS = 10;
const PER_CLIENT = 30;

/** How many secrets a minute are looked at beyond the first count. It bounds the work, and how fast anybody guesses. */
const LOOKS_BESIDE_RIGHT = 300;

/** From how many addresses right secrets are remembered, and how long. */
const REMEMBERED = { max: 10_000, ttl: DAY };

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
  countWrong(clientId: string, address: string, how: { isShared: boolean }): void;
  /** The right secret of a client came from an address. */
  rememberRight(clientId: string, address: string): void;
}

const rightKey = (clientId: string, from: string) => ['right secrets', clientId, from];

/** The addresses that right secrets came from. The other processes are told for a minute, and remember it themselves. */
function createRightOnes({ counts }: Context) {
  const known = new LRUCache<string, true>(REMEMBERED);
  return {
    has(clientId: string, from: string): boolean {
      const key = rightKey(clientId, from);
      if (counts.look(key).points > 0) known.set(JSON.stringify(key), true);
      return known.has(JSON.stringify(key));
    },
    add(clientId: string, from: string): void {
      const key = rightKey(clientId, from);
      known.set(JSON.stringify(key), true);
      if (counts.look(key).points === 0) counts.count(key);
    },
  };
}

/** The limit over all processes, within a minute of the first guess. */
export function createGuessLimit(context: Context): GuessLimit {
  const { counts } = context;
  const rightOnes = createRightOnes(context);
  return {
    check(clientId, address) {
      const from = addressKey(address);
      const { points, secondsLeft } = counts.look(['guesses', clientId, from]);
      if (points < PER_ADDRESS) return;
      if (!rightOnes.has(clientId, from)) throw slowDown(secondsLeft);
      const looks = counts.count(['looks', clientId, from]);
      if (looks.points > LOOKS_BESIDE_RIGHT) throw slowDown(looks.secondsLeft);
    },
    countWrong(clientId, address, how) {
      const here = counts.count(['guesses', clientId, addressKey(address)], how);
      const everywhere = counts.count(['guesses', clientId], how);
      if (here.points > PER_ADDRESS) throw slowDown(here.secondsLeft);
      if (everywhere.points > PER_CLIENT) throw slowDown(everywhere.secondsLeft);
    },
    rememberRight: (clientId, address) => rightOnes.add(clientId, addressKey(address)),
  };
}
