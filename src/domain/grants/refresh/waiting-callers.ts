import { CALLER_WAIT } from '../../../shared/lifetimes.ts';

/**
 * For which grants a caller of this process still waits. When many grants fall due at once, these are refreshed first:
 * a caller that has gone is served by a later call.
 */
export interface WaitingCallers {
  /** Runs `work` for a caller, who waits for it at most ten seconds. */
  during<Result>(grantId: string, work: (until: number) => Promise<Result>): Promise<Result>;
  isWaitedFor(grantId: string): boolean;
}

/** Nobody waits. Times are of the monotonic clock, in milliseconds. */
export function createWaitingCallers(): WaitingCallers {
  const waitingUntil = new Map<string, number>();
  return {
    async during(grantId, work) {
      const until = performance.now() + CALLER_WAIT;
      waitingUntil.set(grantId, until);
      try {
        return await work(until);
      } finally {
        // A later caller may still wait.
        if (waitingUntil.get(grantId) === until) waitingUntil.delete(grantId);
      }
    },
    isWaitedFor: (grantId) => (waitingUntil.get(grantId) ?? 0) > performance.now(),
  };
}
