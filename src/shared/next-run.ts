export interface NextRun {
  /** A run that begins after this call. All callers during a run share the next run. */
  readonly begin: () => Promise<void>;
  /** Resolves when no run is running or waiting. */
  readonly settled: () => Promise<void>;
}

/**
 * One run at a time. No caller gets a run that began before the call, so a caller that has just changed data gets a run
 * that saw the change.
 */
export function createNextRun(run: () => Promise<void>): NextRun {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    next = undefined;
    running = run().finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    begin() {
      if (next) return next;
      if (!running) return start();
      next = running.then(start, start);
      return next;
    },
    async settled() {
      await (next ?? running)?.catch(() => undefined);
    },
  };
}
