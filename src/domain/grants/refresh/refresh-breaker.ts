import { DEATHS_STOP, MINUTE } from '../../../shared/lifetimes.ts';
import { countAccounts, countAccountsOfDead, countRefreshed } from '../../../store/grants/deaths.ts';
import { stopForDeaths } from '../../../store/grants/refresh-breaker.ts';
import { listDeathTimes } from '../../../store/grants/grants.ts';
import { hasRecoveredSince } from '../../../store/grants/restored.ts';
import type { Database } from '../../../store/driver/store.ts';
import type { Context } from '../../context.ts';
import {
  ACCOUNTS_COUNTED,
  areManySpent,
  type Deaths,
  FEWEST,
  goodCountedUpTo,
  type SpentAccounts,
  stopsRefreshing,
} from '../death-rules.ts';

/**
 * Many grants that end in a short time mean that something larger is wrong than single grants (a restored copy at work,
 * a fault of the modern side): refreshing stops before every grant has been ended, and a person is called. What is
 * decided stands in the database, so that all processes agree and a restart forgets nothing.
 */

const WITHIN = 1 * MINUTE;
const HOUR = 60 * MINUTE;

/** What ends a grant of a restored copy. */
const SPENT = ['superseded'] as const;

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

/** How many accounts lost a grant to that until the given time, and how many the fleet has. */
async function spentAccounts(db: Database, to: number): Promise<SpentAccounts> {
  const minute = { causes: SPENT, from: to - WITHIN, to };
  const accounts = await countAccountsOfDead(db, minute);
  const fleet = await countAccounts(db, { ...minute, limit: ACCOUNTS_COUNTED });
  return { accounts, fleet, before: await countAccounts(db, { ...minute, from: to - HOUR, limit: FEWEST }) };
}

/**
 * Until when no grant of a restored copy may be looked into; 0 when that goes on. Where introspection calls those of many
 * accounts spent within a minute and none recovers meanwhile, it may call every token spent.
 */
export async function lookingStoppedUntil(
  { clock, store }: Context,
  db: Database = store.durable,
): Promise<number> {
  const now = clock.now();
  const [newest] = await listDeathTimes(db, { causes: SPENT, until: now, limit: 1 });
  if (newest === undefined || newest + DEATHS_STOP <= now) return 0;
  if (!areManySpent(await spentAccounts(db, newest))) return 0;
  return (await hasRecoveredSince(db, newest - WITHIN)) ? 0 : newest + DEATHS_STOP;
}
