import type { Clock } from '../../shared/clock.ts';
import { MINUTE, SECOND } from '../../shared/lifetimes.ts';
import type { Store } from './store.ts';

const SAMPLE_EVERY = 1 * SECOND;

/** A database that takes longer to tell the time is not fit to serve from. */
const ROUND_TRIP_MAX = 1 * SECOND;

/**
 * How long a step back of the database's clock is ignored: a code must not live longer because of the step. Afterwards
 * the database's clock is followed.
 */
const BACKWARDS_AFTER = 1 * MINUTE;

export interface DatabaseClock extends Clock {
  /** The difference of the machine's own clock from the database's clock, in milliseconds. */
  machineOffset(): number;
  /** The time since the last answer of the database, in milliseconds. */
  sampleAge(): number;
  stop(): void;
}

/** Bounds of the distance between the database's clock and the monotonic clock, from one question to the database. */
interface Bounds {
  low: number;
  high: number;
}

/** The database read its clock, in whole milliseconds, at some moment between the question and the answer. */
async function measure(store: Store): Promise<Bounds> {
  const asked = performance.now();
  const time = await store.now();
  return { low: time - performance.now(), high: time + 1 - asked };
}

/**
 * Keeps the distance within the measured bounds, so that a slow answer changes nothing. A step forwards counts at once;
 * a step back counts only after it has lasted.
 */
function createDistance(first: Bounds) {
  // Starts at the lower bound. Later samples only come nearer, so no process runs ahead of the database.
  let distance = first.low;
  let aheadSince: number | undefined;
  let heardAt = performance.now();
  return {
    get: () => distance,
    heardAt: () => heardAt,
    take({ low, high }: Bounds): void {
      const now = performance.now();
      if (high - low <= ROUND_TRIP_MAX) heardAt = now;
      distance = Math.max(distance, low);
      if (distance <= high) aheadSince = undefined;
      else aheadSince ??= now;
      if (aheadSince !== undefined && now - aheadSince >= BACKWARDS_AFTER) distance = high;
    },
  };
}

/**
 * The database's clock, asked once a second and continued by the monotonic clock in between. So neither another
 * machine's clock nor a change of this machine's clock has an effect (docs/decisions/0012).
 */
export async function startDatabaseClock(store: Store): Promise<DatabaseClock> {
  const distance = createDistance(await measure(store));
  // While the database is away, the monotonic clock continues; readiness reports the absence.
  const sample = () =>
    measure(store).then(
      (bounds) => distance.take(bounds),
      () => undefined,
    );
  const timer = setInterval(() => void sample(), SAMPLE_EVERY);
  timer.unref();
  const now = () => Math.floor(performance.now() + distance.get());
  return {
    now,
    elapsed: () => performance.now(),
    wall: Date.now,
    machineOffset: () => Date.now() - now(),
    sampleAge: () => performance.now() - distance.heardAt(),
    stop: () => clearInterval(timer),
  };
}
