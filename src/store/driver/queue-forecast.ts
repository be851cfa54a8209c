interface ServedQueue {
  /** How many wait in the queue. */
  waiting: () => number;
  /** How many have left the queue since the start. */
  served: () => number;
}

/** The rate is taken over at least so many milliseconds: over less, one more or one less would change it much. */
const RATE_OVER = 20;

/**
 * Foretells how long work that came now would wait in a queue: as long as the queue takes for all before it, at its rate of late.
 * Whoever already left the queue only tells how long it was. Where nobody leaves it, work waits at least as long as
 * that has lasted. All times are in milliseconds, and the time is an argument.
 */
export function createQueueForecast(
  { waiting, served }: ServedQueue,
  begun: number,
): (now: number) => number {
  let [from, at, servedAt] = [served(), begun, begun];
  let rate = 0;
  const measure = (now: number) => {
    const count = served();
    if (count > from) servedAt = now;
    rate = (count - from) / (now - at);
    [from, at] = [count, now];
  };
  return (now) => {
    if (now - at >= RATE_OVER) measure(now);
    const before = waiting();
    if (before === 0) return 0;
    return rate > 0 ? before / rate : now - servedAt;
  };
}
