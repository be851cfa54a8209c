/**
 * Runs at most one piece of work for a key in this process. This only saves work: the version in the database keeps a
 * refresh token from being presented twice. Work continues when its caller goes away.
 */
export interface SingleFlight {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Whether the process is stopping and only these flights are left. */
  isClosing(): boolean;
  /** For a graceful stop: resolves when no work is running. */
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
