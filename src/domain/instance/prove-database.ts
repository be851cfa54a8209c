import { CLOCKS_DIFFER, SECOND } from '../../shared/lifetimes.ts';
import { askForAnyApp } from '../../store/apps/apps.ts';
import type { InstanceDeps } from './deps.ts';

/** The database is asked for the time once a second. After this time without an answer, the known time is a guess. */
const SILENCE_MAX = 5 * SECOND;

/** Anybody may ask, and as often as they like. So what the database said is kept for so long, in milliseconds. */
const KEPT_FOR = 250;

/** How long others join a look that has no answer yet. A later one takes another connection, which may be a live one. */
const JOINED_FOR = SECOND;

/**
 * Makes a function that rejects when the durable database does not answer. All who ask meanwhile and a little later share
 * a look: strangers who ask do not take the database from the calls.
 */
export function createDatabaseProof({ store }: Pick<InstanceDeps, 'store'>): () => Promise<void> {
  let look = Promise.resolve();
  let keptUntil = -Infinity;
  return () => {
    if (performance.now() < keptUntil) return look;
    keptUntil = performance.now() + JOINED_FOR;
    const own = askForAnyApp(store.durable).finally(() => {
      if (look === own) keptUntil = performance.now() + KEPT_FOR;
    });
    look = own;
    return own;
  };
}

/** Why the clock of this process cannot be relied on; undefined when the clock can be relied on. */
export function findClockProblem({ databaseClock }: InstanceDeps): string | undefined {
  if (!databaseClock) return undefined;
  if (databaseClock.sampleAge() > SILENCE_MAX)
    return 'the bridge could not read the clock of the database for some seconds';
  if (Math.abs(databaseClock.machineOffset()) > CLOCKS_DIFFER)
    return 'the clocks of this machine and of the database differ by more than one second';
  return undefined;
}
