/** Limits how many people watch live calls at a time. A stream holds a connection, so nobody may hold many. */

const OF_ONE_PERSON = 3;

const OF_ONE_PROCESS = 100;

export interface StreamLimit {
  /** Takes a place for a person. Returns the function that gives the place back, or why no place is free. */
  take(accountId: string): (() => void) | 'too many of this person' | 'too many';
}

/** The limit of this process. */
export function createStreamLimit(): StreamLimit {
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
      if ((taken.get(accountId) ?? 0) >= OF_ONE_PERSON) return 'too many of this person';
      if (all >= OF_ONE_PROCESS) return 'too many';
      change(accountId, 1);
      return () => change(accountId, -1);
    },
  };
}
