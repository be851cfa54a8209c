/** Time as an input. */
export interface Clock {
  /** Unix time in milliseconds by the database's clock, so that all processes on one database agree. */
  now(): number;
  /** Milliseconds since some moment of this process; never set, never backwards. For how long something took. */
  elapsed(): number;
  /** The machine's own wall clock, which others may set, and which goes on while the machine sleeps. */
  wall(): number;
}

/** The machine's own clock, for programs that look at no database. */
export const machineClock: Clock = { now: Date.now, elapsed: () => performance.now(), wall: Date.now };
