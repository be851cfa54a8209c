import { MINUTE } from '../shared/lifetimes.ts';
import { listDeathTimes } from '../store/grants.ts';
import { hasRecoveredSince } from '../store/restored.ts';
import type { Database } from '../store/store.ts';
import type { DeathCause } from '../store/tables.ts';
import type { Context } from './context.ts';

/**
 * Many grants that end in a short time mean that something larger is wrong than single grants (a restored copy at work,
 * a fault of the modern side): refreshing stops before every grant has been ended, and a person is called (design 4).
 * Read from the deaths themselves, so that all processes agree and a restart forgets nothing.
 */

const ENDED = 10;
const WITHIN = 1 * MINUTE;
const STOPPED_FOR = 5 * MINUTE;

interface Stop {
  /** When the first of the deaths came that caused it. */
  since: number;
  until: number;
}

async function findStop(now: number, db: Database, causes: readonly DeathCause[]): Promise<Stop | undefined> {
  const deaths = await listDeathTimes(db, { causes, until: now, limit: ENDED });
  const [newest, tenth] = [deaths[0], deaths[ENDED - 1]];
  if (newest === undefined || tenth === undefined || newest - tenth > WITHIN) return undefined;
  return newest + STOPPED_FOR > now ? { since: tenth, until: newest + STOPPED_FOR } : undefined;
}

/** Until when nothing may be refreshed; 0 when refreshing goes on. */
export async function refreshStoppedUntil(context: Context): Promise<number> {
  return (await findStop(context.clock.now(), context.store.durable, ['refused', 'lost']))?.until ?? 0;
}

/**
 * Until when no grant of a restored copy may be looked into; 0 when that goes on. Where introspection calls many spent
 * and none recovers meanwhile, it may call every token spent.
 */
export async function lookingStoppedUntil(
  { clock, store }: Context,
  db: Database = store.durable,
): Promise<number> {
  const stop = await findStop(clock.now(), db, ['superseded']);
  if (!stop || (await hasRecoveredSince(db, stop.since))) return 0;
  return stop.until;
}
