/** Time as an input. `now()` is Unix time in milliseconds. */
export interface Clock {
  now(): number;
}

/**
 * The machine's clock, never going backwards: when the wall clock is set back, time goes on by the monotonic clock, so
 * that no code or token lives longer because of it (hardening row 53).
 */
export function createSystemClock(): Clock {
  let last = Date.now();
  let lastMonotonic = performance.now();
  return {
    now() {
      const monotonic = performance.now();
      last = Math.max(Date.now(), last + (monotonic - lastMonotonic));
      lastMonotonic = monotonic;
      return Math.floor(last);
    },
  };
}
