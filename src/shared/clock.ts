/** Time as an input. */
export interface Clock {
  /** Unix time in milliseconds by the database's clock, so that all processes on one database agree. */
  now(): number;
  /**
   * Milliseconds since some moment of this process. Nobody can set this clock, and the clock never runs backwards. Use
   * for durations.
   */
  elapsed(): number;
  /**
   * The machine's own wall clock. Other programs may set this clock, and the clock goes on while the machine sleeps.
   */
  wall(): number;
}

/** The machine's own clock, for programs that use no database. */
export const machineClock: Clock = { now: Date.now, elapsed: () => performance.now(), wall: Date.now };
