import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { isSqlite } from '../driver/many-rows.ts';
import { retryConflicts } from '../driver/retry-conflicts.ts';
import type { Database, Store } from '../driver/store.ts';
import { WAITING_STATES } from '../tables/tables.ts';

/** The last use of tokens, carried from the volatile database to the durable one, which keeps it to the day. */

export interface LastUse {
  day: string;
  mapping_id: string;
  last_at: number;
  /** The last call that only the old API answers. */
  passed_at: number | null;
  /** The last call that the bridge serves, or that the old API answered. */
  served_at: number | null;
}

/**
 * The calls that the new API answers. The list keeps people from being told that these calls end with the old API. A
 * call that the new API always refuses, such as a change of posting times, does end.
 */
const PATHS_SERVED = [
  '/1/profiles',
  '/1/profiles/:id',
  '/1/user',
  '/1/user/deauthorize',
  '/user/deauthorize',
  '/1/profiles/:id/updates/pending',
  '/1/profiles/:id/updates/sent',
  '/1/profiles/:id/updates/reorder',
  '/1/profiles/:id/updates/shuffle',
  '/1/updates/:id',
  '/1/updates/create',
  '/1/updates/:id/update',
  '/1/updates/:id/share',
  '/1/updates/:id/destroy',
  '/1/updates/:id/move_to_top',
  '/1/profiles/:id/schedules',
  '/1/updates/:id/interactions',
  '/1/links/shares',
  '/1/info/configuration',
];

const SERVED = PATHS_SERVED.flatMap((path) => [path, `${path}.json`]);

/**
 * The calls that the new API answers, under the names of `usage`; all other calls end with the old API. `other` stands
 * for calls beyond the number of names.
 */
export const SERVED_HERE: readonly string[] = ['other', ...SERVED];

const listOf = (endpoints: readonly string[]) => sql.join(endpoints.map((path) => sql.lit(path)));

const IS_PASSED = sql<boolean>`outcome = 'ok' and endpoint not in (${listOf(SERVED_HERE)})`;

/**
 * A token that wakes makes the bridge ask its holder for a connection at once. A connection does not help calls that
 * neither API serves, so these calls wake no token.
 */
const IS_SERVED = sql<boolean>`outcome = 'ok' or endpoint in (${listOf(SERVED)})`;

/**
 * The last uses of tokens by day (`YYYY-MM-DD`, UTC) and token, after the given day and token. One comparison of the
 * pair lets PostgreSQL continue in its index on both, even with few statistics of a day that has just begun.
 */
export async function usesAfter(
  { volatile }: Pick<Store, 'volatile'>,
  { day, mapping_id }: Pick<LastUse, 'day' | 'mapping_id'>,
  limit: number,
): Promise<LastUse[]> {
  return volatile
    .selectFrom('usage')
    .select((eb) => [
      'day',
      'mapping_id',
      eb.fn.max('last_at').as('last_at'),
      sql<number | null>`max(case when ${IS_PASSED} then last_at end)`.as('passed_at'),
      sql<number | null>`max(case when ${IS_SERVED} then last_at end)`.as('served_at'),
    ])
    .where(sql<SqlBool>`(day, mapping_id) > (${day}, ${mapping_id})`)
    .groupBy(['day', 'mapping_id'])
    .orderBy('day')
    .orderBy('mapping_id')
    .limit(limit)
    .execute();
}

export interface UseIntervals {
  /** A use is kept when it is later than the known use by more than this, in milliseconds. */
  keptEvery: number;
  /** A use after a silence of at least this length wakes a waiting token, in milliseconds. */
  silence: number;
  /** From when on all calls are known: an earlier silence may be a gap in the counts. Infinity when unknown. */
  countedSince: number;
}

interface LockedRows {
  table: 'mappings' | 'apps';
  key: 'id' | 'client_id';
  /** The joined rows, and the condition for the rows that are about to move. */
  from: RawBuilder<unknown>;
  where: RawBuilder<SqlBool>;
}

/**
 * Runs `move`; returns the number of rows that moved. PostgreSQL locks rows one by one, so the rows that are about to
 * move are locked first, in the order of their keys. Otherwise two processes that keep the same uses would wait for
 * each other.
 */
async function inOrder(
  db: Database,
  { table, key, from, where }: LockedRows,
  move: RawBuilder<unknown>,
): Promise<number> {
  const run = async (tx: Database) => Number((await move.execute(tx)).numAffectedRows ?? 0);
  if (isSqlite(db)) return run(db);
  const lock = sql`select 1 from ${sql.table(table)} as t, ${from} where ${where}
    order by t.${sql.ref(key)} for no key update of t`;
  // The second statement has to see the changes that the first statement waited for.
  const transaction = db.transaction().setIsolationLevel('read committed');
  // Other transactions lock the same rows in other orders.
  return retryConflicts(() =>
    transaction.execute(async (tx) => ((await lock.execute(tx)).rows.length === 0 ? 0 : run(tx))),
  );
}

/**
 * Keeps later uses; a use never moves back. A waiting token wakes by a use after a long silence: after a known use, or
 * after its holder was told that the token is unused. A call that neither API serves is a use, but wakes no token.
 * Returns how many rows moved.
 */
export async function keepLastUses(
  db: Database,
  uses: readonly LastUse[],
  { keptEvery, silence, countedSince }: UseIntervals,
): Promise<number> {
  const json = JSON.stringify(uses);
  const known = Math.min(countedSince, Number.MAX_SAFE_INTEGER);
  const given = isSqlite(db)
    ? sql`(select value ->> 'mapping_id' as mapping_id, value ->> 'last_at' as last_at,
        value ->> 'served_at' as served_at from json_each(${json}))`
    : sql`(select * from json_to_recordset(${json}) as given (mapping_id text, last_at bigint, served_at bigint))`;
  // The ledger has the name that the holder had when the mail was planned (`holderOf` in domain/reminders/find-people.ts).
  const names = sql`('account:' || t.account_id, 'email:' || t.account_email, 'account:' || (select min(a.account_id)
    from accounts a where a.email is not null and lower(a.email) = t.account_email and t.account_id is null))`;
  const wakes = sql`t.state in (${sql.join(WAITING_STATES.map((state) => sql.lit(state)))}) and (
    (t.last_used_at <= u.served_at - ${sql.lit(silence)} and u.served_at - ${sql.lit(silence)} >= ${sql.lit(known)})
    or (t.last_used_at is null and exists (select 1 from reminders r
      where r.person in ${names} and r.client_id = t.client_id and r.role = 'holder' and r.stage = 'unused'
        and r.planned_for = '' and r.dropped_at is null and r.created_at < u.served_at)))`;
  const from = sql`${given} as u`;
  const where = sql<SqlBool>`t.id = u.mapping_id
    and (t.last_used_at is null or t.last_used_at < u.last_at - ${sql.lit(keptEvery)})`;
  const move = sql`update mappings as t set last_used_at = u.last_at,
      woken_at = case when ${wakes} then u.served_at else t.woken_at end
    from ${from} where ${where}`;
  return inOrder(db, { table: 'mappings', key: 'id', from, where }, move);
}

/**
 * Keeps for apps the last call of any of their tokens that only the old API answers; the date never moves back. Kept
 * like `keepLastUses`.
 */
export async function keepPassedUses(
  db: Database,
  uses: readonly LastUse[],
  { keptEvery }: Pick<UseIntervals, 'keptEvery'>,
): Promise<void> {
  const passed = uses.filter(({ passed_at }) => passed_at !== null);
  if (passed.length === 0) return;
  const json = JSON.stringify(passed);
  const given = isSqlite(db)
    ? sql`(select value ->> 'mapping_id' as mapping_id, value ->> 'passed_at' as passed_at from json_each(${json}))`
    : sql`(select * from json_to_recordset(${json}) as given (mapping_id text, passed_at bigint))`;
  const from = sql`(select m.client_id, max(u.passed_at) as passed_at
    from ${given} as u join mappings m on m.id = u.mapping_id group by m.client_id) as p`;
  const where = sql<SqlBool>`t.client_id = p.client_id
    and (t.passed_at is null or t.passed_at < p.passed_at - ${sql.lit(keptEvery)})`;
  const move = sql`update apps as t set passed_at = p.passed_at from ${from} where ${where}`;
  await inOrder(db, { table: 'apps', key: 'client_id', from, where }, move);
}

/** When the uses were last read to the end; undefined before the first time. */
export async function readNotedAt(db: Database): Promise<number | undefined> {
  const row = await db.selectFrom('last_use_reading').select('noted_at').executeTakeFirst();
  return row?.noted_at;
}

/** Records that the uses until this moment were read; the moment never moves back. */
export async function keepNotedAt(db: Database, now: number): Promise<void> {
  await db
    .insertInto('last_use_reading')
    .values({ singleton: 1, noted_at: now })
    .onConflict((conflict) =>
      conflict
        .column('singleton')
        .doUpdateSet({ noted_at: now })
        .where('last_use_reading.noted_at', '<', now),
    )
    .execute();
}
