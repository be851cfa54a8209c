import type { Clock } from '../../shared/clock.ts';
import { MINUTE, SECOND } from '../../shared/lifetimes.ts';
import type { Store } from './store.ts';

const SAMPLE_EVERY = 1 * SECOND;

/** A database that takes longer to say the time is not one to serve from. */
const ROUND_TRIP_MAX = 1 * SECOND;

/** Time does not go back while a code could live longer for it; then the database is followed all the same. */
const BACKWARDS_AFTER = 1 * MINUTE;

export interface DatabaseClock extends Clock {
  /** How far the machine's own clock is from the database's, in milliseconds. */
  machineOffset(): number;
  /** How long ago the database was last heard, in milliseconds. */
  sampleAge(): number;
  stop(): void;
}

/** Between which bounds the distance of the database's clock from the monotonic one lies, by one question to it. */
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
 * Keeps the distance within what was measured, so that a slow answer moves nothing. Forwards at once; a step back counts
 * only once it has lasted.
 */
function createDistance(first: Bounds) {
  // From below: what follows only comes nearer, so that no process runs ahead of the database.
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
 * The database's clock, asked once a second and carried on by the monotonic clock in between, so that neither another
 * machine's clock nor a change of this one's has a say (docs/decisions/0012).
 */
export async function startDatabaseClock(store: Store): Promise<DatabaseClock> {
  const distance = createDistance(await measure(store));
  // A database that is away is carried on by the monotonic clock; readiness tells of it.
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
