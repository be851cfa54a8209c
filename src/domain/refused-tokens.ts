import type { Context } from './context.ts';
import { withPatience } from './patience.ts';

/**
 * Tokens that neither the bridge nor the old backend knows (design 5, observed tokens). Each is remembered until its minute
 * is over, so that the old backend is asked once; and an address may guess at so many of them in a minute.
 */

const PER_ADDRESS = 60;

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
   * Runs a question about a token that the bridge does not know. As many run at once as may be refused yet; the others
   * wait, for good tokens are no guesses.
   * @throws {TooManyGuesses | Unavailable}
   */
  ask<T>(address: string, question: () => Promise<T>): Promise<T>;
}

const tokenKey = (token: string) => ['refused token', token];
const addressKey = (address: string) => ['refused tokens', address];

/** What is remembered by all processes, and the questions that this one is asking. */
export function createRefusedTokens({ counts }: Context): RefusedTokens {
  const asking = new Map<string, Set<Promise<unknown>>>();

  async function waitForRoom(address: string): Promise<void> {
    for (;;) {
      const { points, secondsLeft } = counts.look(addressKey(address));
      const running = asking.get(address) ?? new Set();
      if (points + running.size < PER_ADDRESS) return;
      if (running.size === 0) throw new TooManyGuesses(secondsLeft);
      await withPatience(Promise.race(running));
    }
  }

  function track(address: string, question: Promise<unknown>): void {
    const running = asking.get(address) ?? new Set();
    asking.set(address, running);
    const settled = question
      .catch(() => undefined)
      .finally(() => {
        running.delete(settled);
        if (running.size === 0) asking.delete(address);
      });
    running.add(settled);
  }

  const isRefused = (token: string) => counts.look(tokenKey(token)).points > 0;
  return {
    isRefused,
    remember(token, address) {
      if (isRefused(token)) return;
      counts.count(tokenKey(token));
      counts.count(addressKey(address));
    },
    async ask(address, question) {
      await waitForRoom(address);
      const asked = question();
      track(address, asked);
      return asked;
    },
  };
}
