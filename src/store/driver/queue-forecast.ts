interface ServedQueue {
  /** How many wait in the queue. */
  waiting: () => number;
  /** How many have left the queue since the start. */
  served: () => number;
}

/** The pace is taken over at least so many milliseconds and so many who left: one more or one less changes it little. */
const [PACE_OVER, PACE_OF] = [20, 5];

/**
 * Foretells how long work that came now would wait in a queue: as long as the queue takes for all before it, at the pace at which
 * it was left when it stood last. It says 0 while that pace is not known. All times are in milliseconds, and the time is an argument.
 */
export function createQueueForecast({ waiting, served }: ServedQueue): (now: number) => number {
  let stands: { since: number; served: number } | undefined;
  /** How long the queue takes for each. */
  let pace = 0;
  return (now) => {
    const [before, count] = [waiting(), served()];
    if (before === 0) {
      stands = undefined;
      return 0;
    }
    stands ??= { since: now, served: count };
    const [took, left] = [now - stands.since, count - stands.served];
    if (took >= PACE_OVER && left >= PACE_OF) {
      pace = took / left;
      stands = { since: now, served: count };
    }
    return before * pace;
  };
}
