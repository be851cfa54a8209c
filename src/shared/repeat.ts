/** Work that is repeated in the background, never two runs at a time. */
export interface RepeatedWork {
  /** Runs the work now. During a run: waits for the end of this run, and starts no second run. */
  run(): Promise<void>;
  /** Ends the repetition. Resolves at the end of the run under way, if there is one. */
  stop(): Promise<void>;
}

/**
 * Starts to repeat the work every `every` milliseconds. A turn during a run is left out. The timer keeps no process
 * running. Work that may fail reports its failure itself.
 */
export function repeat(work: () => Promise<void>, every: number): RepeatedWork {
  let running: Promise<void> | undefined;
  const run = (): Promise<void> =>
    (running ??= work().finally(() => {
      running = undefined;
    }));
  const timer = setInterval(() => void run(), every).unref();
  return {
    run,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
