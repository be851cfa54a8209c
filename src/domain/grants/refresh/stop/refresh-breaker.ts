import { DEATHS_STOP, MINUTE } from '../../../../shared/lifetimes.ts';
import { countAccounts, countAccountsOfDead, countRefreshed } from '../../../../store/grants/deaths.ts';
import { stopForDeaths } from '../../../../store/grants/refresh-breaker.ts';
import { listDeathTimes } from '../../../../store/grants/grants.ts';
import { hasRecoveredSince } from '../../../../store/grants/restored.ts';
import type { Database } from '../../../../store/driver/store.ts';
import type { GrantsDeps } from '../../deps.ts';
import {
  ACCOUNTS_COUNTED,
  areManySpent,
  type DeathCounts,
  FEWEST,
  goodCountedUpTo,
  type SpentAccounts,
  stopsRefreshing,
} from '../../death-rules.ts';

/**
 * Many dead grants in a short time point to a larger fault, such as a restored copy at work or a fault of the new API.
 * Refreshing then stops before every grant has ended, and a person is called. The decision stands in the database, so
 * that all processes agree and a restart forgets nothing.
 */

const WITHIN = 1 * MINUTE;
const HOUR = 60 * MINUTE;

/** The causes of death that introspection finds on a restored copy. */
const SPENT = ['superseded'] as const;

/** The deaths of the last minute. Numbers that cannot change the decision are not counted. */
async function deathsOfLastMinute({ clock, fleet, store: { durable } }: GrantsDeps): Promise<DeathCounts> {
  const to = clock.now();
  const span = { from: to - WITHIN, to };
  const accounts = await countAccountsOfDead(durable, { ...span, causes: ['refused', 'lost'] });
  const limit = goodCountedUpTo(accounts);
  const good = await countRefreshed(durable, { ...span, limit });
  const live = good < limit ? await fleet.count() : 0;
  return { accounts, good, live };
}

/**
 * Stops all refreshing for five minutes if too many accounts lost a grant, and calls a person once. Runs after each
 * death.
 */
export async function stopAfterDeaths(context: GrantsDeps): Promise<void> {
  const deaths = await deathsOfLastMinute(context);
  if (!stopsRefreshing(deaths)) return;
  // A machine that slept is behind for a moment, and would take a stop of another process for one of a wrong clock.
  const now = Math.max(context.clock.now(), await context.store.now());
  if (!(await stopForDeaths(context.store.durable, now))) return;
  const { accounts } = deaths;
  context.logger.error('ALARM: many grants ended in a short time, the bridge stops refreshing', { accounts });
}

/** How many accounts had a grant found spent in the minute before `to`, and how many accounts the fleet has. */
async function spentAccounts(db: Database, to: number): Promise<SpentAccounts> {
  const minute = { causes: SPENT, from: to - WITHIN, to };
  const accounts = await countAccountsOfDead(db, minute);
  const fleet = await countAccounts(db, { ...minute, limit: ACCOUNTS_COUNTED });
  return { accounts, fleet, before: await countAccounts(db, { ...minute, from: to - HOUR, limit: FEWEST }) };
}

/**
 * Until when no grant of a restored copy may be looked into; 0 when looking is allowed. Looking stops when
 * introspection calls grants of many accounts spent within a minute and no grant recovers: then it may call every
 * refresh token spent.
 */
export async function lookingStoppedUntil(
  { clock, store }: GrantsDeps,
  db: Database = store.durable,
): Promise<number> {
  const now = clock.now();
  const [newest] = await listDeathTimes(db, { causes: SPENT, until: now, limit: 1 });
  if (newest === undefined || newest + DEATHS_STOP <= now) return 0;
  if (!areManySpent(await spentAccounts(db, newest))) return 0;
  return (await hasRecoveredSince(db, newest - WITHIN)) ? 0 : newest + DEATHS_STOP;
}
