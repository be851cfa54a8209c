import { CLOCKS_DIFFER, SECOND } from '../../shared/lifetimes.ts';
import { countApps } from '../../store/apps/apps.ts';
import type { InstanceDeps } from './deps.ts';

/** The database is asked for the time once a second. After this time without an answer, the known time is a guess. */
const SILENCE_MAX = 5 * SECOND;

/** Rejects when the durable database does not answer. */
export async function proveDatabase(context: InstanceDeps): Promise<void> {
  await countApps(context.store.durable);
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
