/** How many people look on at a time. A stream holds a connection, so that nobody may hold many. */

const OF_ONE_PERSON = 3;

const OF_ONE_PROCESS = 100;

export interface StreamLimit {
  /** Takes one for a person; the answer gives it back. Or it is told why there is none. */
  take(accountId: string): (() => void) | 'too many of this person' | 'too many';
}

/** Those of this process. */
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
