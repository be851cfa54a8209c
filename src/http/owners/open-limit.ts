/**
 * Limits how many long answers are open at a time: live pages, and files. Each holds a connection and goes on reading, so
 * nobody may hold many.
 */

interface OpenMost {
  ofOnePerson: number;
  ofOneProcess: number;
}

export interface OpenLimit {
  /** Takes a place for a person. Returns the function that gives the place back, or why no place is free. */
  take(accountId: string): (() => void) | 'too many of this person' | 'too many';
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
