/**
 * At most one running piece of work per key in this process. It only saves work: what keeps a refresh token from being
 * presented twice is the version in the database. Work is never cancelled because its caller went away.
 */
export interface SingleFlight {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Whether the stop has come so far that it waits for these flights alone. */
  isClosing(): boolean;
  /** For a graceful stop: resolves when nothing is running any more. */
  close(): Promise<void>;
}

/** An empty set of flights. */
export function createSingleFlight(): SingleFlight {
  const running = new Map<string, Promise<unknown>>();
  let closing = false;
  return {
    run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const flying = running.get(key);
      if (flying) return flying as Promise<T>;
      const flight = work().finally(() => running.delete(key));
      running.set(key, flight);
      return flight;
    },
    isClosing: () => closing,
    async close() {
      closing = true;
      while (running.size > 0) await Promise.allSettled(running.values());
    },
  };
}
