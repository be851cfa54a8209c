import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { SECOND } from '../../shared/lifetimes.ts';

/**
 * Spreads what one sender asks for over the time: a limit of a minute that is used up in its first seconds would take the
 * process from everybody else for as long. Each process does it for itself, and forgets senders that rest.
 */

/** So much of its time a sender may run ahead without waiting: a page, what it leads to, and some neighbours. */
const AHEAD = 0.5 * SECOND;

/** Nobody waits longer, so that few requests of one sender wait at once. */
const PATIENCE = 10 * SECOND;

const SENDERS = 10_000;

export interface Pace {
  /** Waits for the turn of a sender. Answers how many milliseconds too long it would take, 0 once it is its turn. */
  turnOf(sender: string): Promise<number>;
}

/** Turns for each sender, so many in a second. */
export function createPace(perSecond: number): Pace {
  const turn = SECOND / perSecond;
  /** When all that a sender asked for would be done at its pace. */
  const busyUntil = new LRUCache<string, number>({ max: SENDERS });
  return {
    async turnOf(sender) {
      const now = performance.now();
      const begin = Math.max(now, busyUntil.get(sender) ?? 0);
      const wait = begin - now - AHEAD;
      if (wait > PATIENCE) return wait;
      busyUntil.set(sender, begin + turn);
      if (wait > 0) await delay(wait);
      return 0;
    },
  };
}
