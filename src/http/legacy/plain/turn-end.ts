/** Runs what a turn of the event loop has put off. */
export type AtTurnEnd = (work: () => void) => void;

/**
 * Collects the writes of one turn, and makes them one after the other at its end. The first write wakes the process of a
 * caller that sleeps, and the next ones find that process awake. A write after each answer would wake the process each time, which
 * cost a sixth of a plain call (scripts/bench/README.md). The work must not throw.
 */
export function createTurnEnd(): AtTurnEnd {
  let waiting: Array<() => void> = [];
  function runAll(): void {
    const works = waiting;
    waiting = [];
    for (const work of works) work();
  }
  return (work) => {
    if (waiting.length === 0) setImmediate(runAll);
    waiting.push(work);
  };
}
