export interface NextRun {
  /** A run that begins after this call; all who ask while one runs share the next. */
  readonly begin: () => Promise<void>;
  /** Resolves when none runs and none waits. */
  readonly settled: () => Promise<void>;
}

/**
 * One run at a time, none of them older than the question: whoever changed something and asks then gets a run that saw
 * the change.
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
