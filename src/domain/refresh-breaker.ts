import { MINUTE } from '../shared/lifetimes.ts';
import { countAccountsOfDead, countRefreshed } from '../store/grants/deaths.ts';
import { stopForDeaths } from '../store/grants/refresh-breaker.ts';
import { listDeathTimes } from '../store/grants.ts';
import { hasRecoveredSince } from '../store/restored.ts';
import type { Database } from '../store/store.ts';
import type { Context } from './context.ts';
import { type Deaths, goodCountedUpTo, stopsRefreshing } from './grants/death-rules.ts';

/**
 * Many grants that end in a short time mean that something larger is wrong than single grants (a restored copy at work,
 * a fault of the modern side): refreshing stops before every grant has been ended, and a person is called. What is
 * decided stands in the database, so that all processes agree and a restart forgets nothing.
 */

const ENDED = 10;
const WITHIN = 1 * MINUTE;
const STOPPED_FOR = 5 * MINUTE;

interface Stop {
  /** When the first of the deaths came that caused it. */
  since: number;
  until: number;
}

async function findStop(now: number, db: Database): Promise<Stop | undefined> {
  const deaths = await listDeathTimes(db, { causes: ['superseded'], until: now, limit: ENDED });
  const [newest, tenth] = [deaths[0], deaths[ENDED - 1]];
  if (newest === undefined || tenth === undefined || newest - tenth > WITHIN) return undefined;
  return newest + STOPPED_FOR > now ? { since: tenth, until: newest + STOPPED_FOR } : undefined;
}

/** What the last minute says of deaths; what cannot decide any more is not counted. */
async function deathsOfLastMinute({ clock, fleet, store: { durable } }: Context): Promise<Deaths> {
  const to = clock.now();
  const span = { from: to - WITHIN, to };
  const accounts = await countAccountsOfDead(durable, { ...span, causes: ['refused', 'lost'] });
  const limit = goodCountedUpTo(accounts);
  const good = await countRefreshed(durable, { ...span, limit });
  const live = good < limit ? await fleet.count() : 0;
  return { accounts, good, live };
}

/** After a death: stops all refreshing for five minutes where too many accounts lost a grant, and calls a person once. */
export async function stopAfterDeaths(context: Context): Promise<void> {
  const deaths = await deathsOfLastMinute(context);
  if (!stopsRefreshing(deaths)) return;
  if (!(await stopForDeaths(context.store.durable, context.clock.now()))) return;
  const { accounts } = deaths;
  context.logger.error('ALARM: many grants ended in a short time, refreshing is stopped', { accounts });
}

/**
 * Until when no grant of a restored copy may be looked into; 0 when that goes on. Where introspection calls many spent
 * and none recovers meanwhile, it may call every token spent.
 */
export async function lookingStoppedUntil(
  { clock, store }: Context,
  db: Database = store.durable,
): Promise<number> {
  const stop = await findStop(clock.now(), db);
  if (!stop || (await hasRecoveredSince(db, stop.since))) return 0;
  return stop.until;
}
