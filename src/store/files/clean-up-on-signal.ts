import { setImmediate } from 'node:timers/promises';

/** What a program leaves behind when a signal ends it in the middle of its work. */

const ENDED_BY = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `work`. A signal that ends the process meanwhile runs `cleanUp` first. While `work` blocks the process, the signal
 * waits for the end of the block.
 */
export async function cleanUpOnSignal<T>(cleanUp: () => void, work: () => Promise<T>): Promise<T> {
  const end = (signal: NodeJS.Signals) => {
    cleanUp();
    // `once` has removed this listener, so now the signal ends the process as usual.
    process.kill(process.pid, signal);
  };
  for (const signal of ENDED_BY) process.once(signal, end);
  try {
    return await work();
  } finally {
    for (const signal of ENDED_BY) process.off(signal, end);
  }
}

/** Resolves when each signal that came during a block has been heard: Node looks for signals between these two turns. */
export async function hearSignals(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
