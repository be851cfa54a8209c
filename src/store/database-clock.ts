import type { Clock } from '../shared/clock.ts';
import { MINUTE, SECOND } from '../shared/lifetimes.ts';
import type { Store } from './store.ts';

const SAMPLE_EVERY = 1 * SECOND;

/** A sample that took longer says too little. */
const ROUND_TRIP_MAX = 1 * SECOND;

/** Smaller differences are the measurement's own. */
const NOISE = 20;

/** Time does not go back while a code could live longer for it; then the database is followed all the same. */
const BACKWARDS_AFTER = 1 * MINUTE;

export interface DatabaseClock extends Clock {
  /** How far the machine's own clock is from the database's, in milliseconds. */
  machineOffset(): number;
  /** How long ago the database was last heard, in milliseconds. */
  sampleAge(): number;
  stop(): void;
}

/** The distance of the database's clock from the monotonic one; undefined when the database was too slow to say. */
async function measure(store: Store): Promise<number | undefined> {
  const sent = performance.now();
  const time = await store.now();
  const roundTrip = performance.now() - sent;
  return roundTrip > ROUND_TRIP_MAX ? undefined : time - sent - roundTrip / 2;
}

/** Keeps the distance; a step back counts only once it has lasted. */
function createDistance(first: number) {
  let distance = first;
  let behindSince: number | undefined;
  let heardAt = performance.now();
  return {
    get: () => distance,
    heardAt: () => heardAt,
    take(sample: number): void {
      heardAt = performance.now();
      const isBehind = sample < distance - NOISE;
      if (!isBehind) behindSince = undefined;
      else behindSince ??= heardAt;
      const hasLasted = behindSince !== undefined && heardAt - behindSince >= BACKWARDS_AFTER;
      if (hasLasted || sample > distance + NOISE) distance = sample;
    },
  };
}

/**
 * The database's clock, asked once a second and carried on by the monotonic clock in between, so that neither another
 * machine's clock nor a change of this one's has a say (design 4 and 6).
 */
export async function startDatabaseClock(store: Store): Promise<DatabaseClock> {
  const first = (await measure(store)) ?? (await store.now()) - performance.now();
  const distance = createDistance(first);
  const sample = async () => {
    const measured = await measure(store).catch(() => undefined);
    if (measured !== undefined) distance.take(measured);
  };
  const timer = setInterval(() => void sample(), SAMPLE_EVERY);
  timer.unref();
  const now = () => Math.floor(performance.now() + distance.get());
  return {
    now,
    elapsed: () => performance.now(),
    machineOffset: () => Date.now() - now(),
    sampleAge: () => performance.now() - distance.heardAt(),
    stop: () => clearInterval(timer),
  };
}
