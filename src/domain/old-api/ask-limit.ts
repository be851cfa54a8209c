import { addressKey } from '../../shared/net/addresses.ts';
import { CALLER_WAIT } from '../../shared/lifetimes.ts';
import type { Context } from '../context.ts';
import { withTimeout } from '../work/with-timeout.ts';

/** How many questions of callers that the bridge does not know an address may have the old API asked. */

/** So many questions of an address count in a minute, where no other number is given. */
const PER_ADDRESS = 60;

/** Questions of one address at once; they must not take all the places that the old backend gives strangers. */
const AT_ONCE = 8;

/** An address sent too many calls that count. */
export class TooManyGuesses extends Error {
  override readonly name = 'TooManyGuesses';
  /** Whole seconds until it may try again. */
  readonly secondsLeft: number;
  constructor(secondsLeft: number) {
    super('too many calls of strangers');
    this.secondsLeft = secondsLeft;
  }
}

export interface AskLimit {
  /** One more for an address: a refusal, or each question where all of them count. */
  count: (address: string) => void;
  /**
   * Runs a question to the old API. Few run at once, and no more than may count yet; the others wait, for good
   * answers are no guesses.
   * @throws {TooManyGuesses | Unavailable}
   */
  ask: <T>(address: string, question: () => Promise<T>) => Promise<T>;
}

/** What counts is counted by all processes under `name`; the questions are those of this process. */
export function createAskLimit(
  { counts }: Pick<Context, 'counts'>,
  name: string,
  perAddress = PER_ADDRESS,
): AskLimit {
  const asking = new Map<string, Set<Promise<unknown>>>();
  const countKey = (from: string) => [name, from];

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
      if (running.size < Math.min(AT_ONCE, perAddress - points)) {
        const asked = question();
        track(from, asked);
        return asked;
      }
      if (running.size === 0) throw new TooManyGuesses(secondsLeft);
      await withTimeout(Promise.race(running), Math.max(0, deadline - performance.now()));
    }
  }

  return {
    count: (address) => void counts.count(countKey(addressKey(address))),
    ask: (address, question) => askInTurn(addressKey(address), question),
  };
}
