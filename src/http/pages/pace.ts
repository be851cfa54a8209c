import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import { SECOND } from '../../shared/lifetimes.ts';

/**
 * Spreads what one sender asks for over the time: a limit of a minute that is used up in its first seconds would take the
 * process from everybody else for as long. Each process does it for itself, and forgets senders that rest.
 */

/** Nobody waits longer, so that few requests of one sender wait at once. */
const PATIENCE = 3 * SECOND;

const SENDERS = 10_000;

/** Requests of all senders that wait at once in this process. */
const WAITING_AT_ONCE = 1000;

export interface PaceOptions {
  perSecond: number;
  /** So many milliseconds of its time a sender may run ahead without waiting. */
  ahead: number;
  /** Nobody waits from when it aborts, so that a stop takes no longer for those who wait. */
  stopping: AbortSignal;
}

/**
 * How a request comes to its turn: now; never, for its connection is gone; or not here, where it would wait too long, or
 * where too many wait already.
 */
type Turn = { kind: 'now' } | { kind: 'gone' } | { kind: 'late' | 'full'; wait: number };

export interface Pace {
  /** Waits for the turn of a sender, while the connection of the answer stands. */
  turnOf(sender: string, res: Response): Promise<Turn>;
}

let waiting = 0;

/** Waits, at most until the connection is gone or the stop begins; `ends` are the ends of those that wait. */
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

/** Turns for each sender, so many in a second. */
export function createPace({ perSecond, ahead, stopping }: PaceOptions): Pace {
  const turn = SECOND / perSecond;
  /** When all that a sender asked for would be done at its pace. */
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
