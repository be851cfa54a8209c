import { addressKey } from '../shared/addresses.ts';
import { CALLER_WAIT } from '../shared/lifetimes.ts';
import type { Context } from './context.ts';
import { withPatience } from './patience.ts';

/**
 * Tokens that neither the bridge nor the old backend knows (design 5, observed tokens). Each is remembered until its minute
 * is over, so that the old backend is asked once; and an address may guess at so many of them in a minute.
 */

const PER_ADDRESS = 60;

/** Questions of one address at once; they must not take all the places that the old backend gives strangers. */
const AT_ONCE = 8;

/** An address sent too many tokens that were refused. */
export class TooManyGuesses extends Error {
  override readonly name = 'TooManyGuesses';
  /** Whole seconds until it may try again. */
  readonly secondsLeft: number;
  constructor(secondsLeft: number) {
    super('too many refused tokens');
    this.secondsLeft = secondsLeft;
  }
}

export interface RefusedTokens {
  isRefused(token: string): boolean;
  /** The old backend refused a token that came from an address. */
  remember(token: string, address: string): void;
  /**
   * Runs a question about a token that the bridge does not know. Few run at once, and no more than may be refused yet; the
   * others wait, for good tokens are no guesses.
   * @throws {TooManyGuesses | Unavailable}
   */
  ask<T>(address: string, question: () => Promise<T>): Promise<T>;
}

const tokenKey = (token: string) => ['refused token', token];
const countKey = (from: string) => ['refused tokens', from];

/** What is remembered by all processes, and the questions that this one is asking. */
export function createRefusedTokens({ counts }: Context): RefusedTokens {
  const asking = new Map<string, Set<Promise<unknown>>>();

  function track(from: string, question: Promise<unknown>): void {
    const running = asking.get(from) ?? new Set();
    asking.set(from, running);
    const settled = question
      .catch(() => undefined)
      .finally(() => {
        running.delete(settled);
        if (running.size === 0) asking.delete(from);
      });
    running.add(settled);
  }

  /** Taking a place and counting it is one step, for many wait for the same one. */
  async function askInTurn<T>(from: string, question: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + CALLER_WAIT;
    for (;;) {
      const { points, secondsLeft } = counts.look(countKey(from));
      const running = asking.get(from) ?? new Set();
      if (running.size < Math.min(AT_ONCE, PER_ADDRESS - points)) {
        const asked = question();
        track(from, asked);
        return asked;
      }
      if (running.size === 0) throw new TooManyGuesses(secondsLeft);
      await withPatience(Promise.race(running), Math.max(0, deadline - performance.now()));
    }
  }

  const isRefused = (token: string) => counts.look(tokenKey(token)).points > 0;
  return {
    isRefused,
    remember(token, address) {
      if (isRefused(token)) return;
      counts.count(tokenKey(token));
      counts.count(countKey(addressKey(address)));
    },
    ask: (address, question) => askInTurn(addressKey(address), question),
  };
}
