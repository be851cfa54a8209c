import { addressKey } from '../../shared/net/addresses.ts';
import { CALLER_WAIT, SECOND } from '../../shared/lifetimes.ts';
import type { OldApiDeps } from './deps.ts';
import { LimitReached } from '../limits/limit-reached.ts';
import { withTimeout } from '../work/with-timeout.ts';

/** Limits the questions to the old API for callers that the bridge does not know, by address. */

/** Counted questions of an address in a minute, by default. */
const PER_ADDRESS = 60;

/** Questions of one address at once. One address must not take all places of unknown tokens at the old API. */
const AT_ONCE = 8;

export interface AskLimit {
  /** Adds one to the count of an address: for a refusal, or for each question where every question counts. */
  count: (address: string) => void;
  /**
   * Runs a question to the old API. Of one address only few questions run at once, and no more than the address has
   * points left. Further questions wait and are not refused, because a question with a good answer is no guess.
   * @throws {LimitReached | Unavailable} the first where the address sent too many calls that count
   */
  ask: <T>(address: string, question: () => Promise<T>) => Promise<T>;
}

const tooManyCalls = (secondsLeft: number) =>
  new LimitReached('too many calls of strangers', secondsLeft * SECOND);

/** All processes share the count under `name`. The running questions are those of this process. */
export function createAskLimit(
  { counts }: Pick<OldApiDeps, 'counts'>,
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

  /**
   * Looking for a free place and taking the place happen without an await in between: many callers wait for the same
   * place.
   */
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
      if (running.size === 0) throw tooManyCalls(secondsLeft);
      await withTimeout(Promise.race(running), Math.max(0, deadline - performance.now()));
    }
  }

  return {
    count: (address) => void counts.count(countKey(addressKey(address))),
    ask: (address, question) => askInTurn(addressKey(address), question),
  };
}
