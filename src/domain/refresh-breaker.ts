import { MINUTE } from '../shared/lifetimes.ts';
import { listDeathTimes } from '../store/grants.ts';
import { hasRecoveredSince } from '../store/restored.ts';
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

async function findStop(context: Context, causes: readonly DeathCause[]): Promise<Stop | undefined> {
  const now = context.clock.now();
  const deaths = await listDeathTimes(context.store.durable, { causes, until: now, limit: ENDED });
  const [newest, tenth] = [deaths[0], deaths[ENDED - 1]];
  if (newest === undefined || tenth === undefined || newest - tenth > WITHIN) return undefined;
  return newest + STOPPED_FOR > now ? { since: tenth, until: newest + STOPPED_FOR } : undefined;
}

/** Until when nothing may be refreshed; 0 when refreshing goes on. */
export async function refreshStoppedUntil(context: Context): Promise<number> {
  return (await findStop(context, ['refused', 'lost']))?.until ?? 0;
}

/**
 * Until when no grant of a restored copy may be looked into; 0 when that goes on. Where introspection calls many spent
 * and none recovers meanwhile, it may call every token spent.
 */
export async function lookingStoppedUntil(context: Context): Promise<number> {
  const stop = await findStop(context, ['superseded']);
  if (!stop || (await hasRecoveredSince(context.store.durable, stop.since))) return 0;
  return stop.until;
}
