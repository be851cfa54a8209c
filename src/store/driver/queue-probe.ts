interface ProbedQueue {
  /** How many wait in the queue. */
  waiting: () => number;
  /** Waits in the queue, and leaves again. */
  pass: () => Promise<unknown>;
}

/**
 * Measures how long work waits in a queue, in milliseconds: a probe waits too. While nothing waits, nothing is done.
 */
export function createQueueProbe({ waiting, pass }: ProbedQueue): () => number {
  let begunAt: number | undefined;
  let last = 0;
  const begin = (now: number) => {
    begunAt = now;
    const end = () => {
      last = performance.now() - now;
      begunAt = undefined;
    };
    pass().then(end, end);
  };
  return () => {
    const now = performance.now();
    if (begunAt !== undefined) return Math.max(last, now - begunAt);
    if (waiting() === 0) last = 0;
    else begin(now);
    return last;
  };
}
