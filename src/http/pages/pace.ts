import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import { SECOND } from '../../shared/lifetimes.ts';

/**
 * Spreads the requests of one sender over time. Otherwise a sender could use up the limit of a minute in its first
 * seconds, and take the process from everybody else for this time. Each process spreads by itself, and forgets idle
 * senders.
 */

/** No request waits longer, so that few requests of one sender wait at once. */
const PATIENCE = 3 * SECOND;

const SENDERS = 10_000;

/** Requests of all senders that wait at once in this process. */
const WAITING_AT_ONCE = 1000;

export interface PaceOptions {
  perSecond: number;
  /** By how many milliseconds a sender may run ahead of its pace without waiting. */
  ahead: number;
  /** When this signal aborts, waiting ends at once, so that waiting requests do not delay the stop. */
  stopping: AbortSignal;
}

/**
 * The turn of a request. `now`: the turn has come. `gone`: the connection is gone. `late`: the request would wait too
 * long. `full`: too many requests wait in this process already.
 */
type Turn = { kind: 'now' } | { kind: 'gone' } | { kind: 'late' | 'full'; wait: number };

export interface Pace {
  /** Waits for the turn of a sender while the connection of the answer is open. */
  turnOf(sender: string, res: Response): Promise<Turn>;
}

let waiting = 0;

/**
 * Waits until the time is over, the connection is gone or the stop begins. `ends` holds a function to end each wait.
 */
function waitWith(ends: Set<() => void>, res: Response, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      res.off('close', end);
      if (ends.delete(end)) waiting -= 1;
      resolve();
    };
    const timer = setTimeout(end, ms);
    res.once('close', end);
    waiting += 1;
    ends.add(end);
  });
}

/** Gives each sender `perSecond` turns in a second. */
export function createPace({ perSecond, ahead, stopping }: PaceOptions): Pace {
  const turn = SECOND / perSecond;
  /** When a sender would be done with all its requests at its pace. */
  const busyUntil = new LRUCache<string, number>({ max: SENDERS });
  const ends = new Set<() => void>();
  stopping.addEventListener('abort', () => [...ends].forEach((end) => end()), { once: true });
  return {
    async turnOf(sender, res) {
      const now = performance.now();
      const begin = Math.max(now, busyUntil.get(sender) ?? 0);
      const wait = stopping.aborted ? 0 : begin - now - ahead;
      if (wait > PATIENCE) return { kind: 'late', wait };
      if (wait > 0 && waiting >= WAITING_AT_ONCE) return { kind: 'full', wait };
      busyUntil.set(sender, begin + turn);
      if (wait > 0 && !res.destroyed) await waitWith(ends, res, wait);
      return { kind: res.destroyed ? 'gone' : 'now' };
    },
  };
}
