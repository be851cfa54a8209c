/** Work that is repeated in the background, never two runs at a time. */
export interface RepeatedWork {
  /** Runs the work now. During a run: waits for the end of this run, and starts no second run. */
  run(): Promise<void>;
  /** Ends the repetition. Resolves at the end of the run under way, if there is one. */
  stop(): Promise<void>;
}

/**
 * Starts to repeat the work every `every` milliseconds, or after the time that `every` names before each turn. Turns go
 * by the monotonic clock: a step of the wall clock moves none. A turn during a run is left out. The timer keeps no process
 * running. Work that may fail reports its failure itself.
 */
export function repeat(work: () => Promise<void>, every: number | (() => number)): RepeatedWork {
  let running: Promise<void> | undefined;
  const run = (): Promise<void> =>
    (running ??= work().finally(() => {
      running = undefined;
    }));
  const wait = () => setTimeout(takeTurn, typeof every === 'number' ? every : every()).unref();
  const takeTurn = () => {
    timer = wait();
    void run();
  };
  let timer = wait();
  return {
    run,
    async stop() {
      clearTimeout(timer);
      await running;
    },
  };
}
