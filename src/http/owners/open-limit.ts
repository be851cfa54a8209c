import type { Response } from 'express';
import { noteShed } from '../overload/shed.ts';

/**
 * Limits how many long answers are open at a time: live pages, and files. Each holds a connection and goes on reading, so
 * nobody may hold many.
 */

interface OpenMost {
  ofOnePerson: number;
  ofOneProcess: number;
}

type NoPlace = 'too many of this person' | 'too many';

export interface OpenLimit {
  /** Takes a place for a person. Returns the function that gives the place back, or why no place is free. */
  take(accountId: string): (() => void) | NoPlace;
}

/** The status of an answer that got no place. Where all places are taken, nothing has failed: load is shed. */
export function statusOfTooMany(res: Response, why: NoPlace): 429 | 503 {
  if (why === 'too many of this person') return 429;
  noteShed(res);
  return 503;
}

/** A limit of this process. */
export function createOpenLimit({ ofOnePerson, ofOneProcess }: OpenMost): OpenLimit {
  const taken = new Map<string, number>();
  let all = 0;
  const change = (accountId: string, by: 1 | -1) => {
    all += by;
    const own = (taken.get(accountId) ?? 0) + by;
    if (own > 0) taken.set(accountId, own);
    else taken.delete(accountId);
  };
  return {
    take(accountId) {
      if ((taken.get(accountId) ?? 0) >= ofOnePerson) return 'too many of this person';
      if (all >= ofOneProcess) return 'too many';
      change(accountId, 1);
      return () => change(accountId, -1);
    },
  };
}
