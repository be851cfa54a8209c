import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { isSqlite } from '../driver/many-rows.ts';
import { retryConflicts } from '../driver/retry-conflicts.ts';
import type { Database, Store } from '../driver/store.ts';
import { WAITING_STATES } from '../tables/tables.ts';

/** The last use of tokens, from what may be lost of a machine's crash to where it is kept to the day. */

export interface LastUse {
  day: string;
  mapping_id: string;
  last_at: number;
  /** The last call of what the old backend alone answers. */
  passed_at: number | null;
  /** The last call of what the bridge serves, or that an old backend answered. */
  served_at: number | null;
}

/**
 * A call that the new API answers stands here, so that nobody is told that it ends with the old API. One that it refuses
 * whoever asks, as a change of posting times, does end.
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

/** What the new API answers, as `usage` names it; all else ends with the old API. `other` were too many to be named. */
export const SERVED_HERE: readonly string[] = ['other', ...SERVED];

const listOf = (endpoints: readonly string[]) => sql.join(endpoints.map((path) => sql.lit(path)));

const IS_PASSED = sql<boolean>`outcome = 'ok' and endpoint not in (${listOf(SERVED_HERE)})`;

/** Of what nobody serves a connection mends nothing, and it is asked for at once where a token wakes. */
const IS_SERVED = sql<boolean>`outcome = 'ok' or endpoint in (${listOf(SERVED)})`;

/**
 * The last uses of tokens day by day (`YYYY-MM-DD`, UTC) and token by token, from behind this one on. The pair is compared
 * as one, which lets PostgreSQL read on in its index on both however little it knows of a day that has just begun.
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

export interface Silences {
  /** A later use is kept where it is more than this later than the one that is known, in milliseconds. */
  keptEvery: number;
  /** A use after a silence of this length or more wakes a token that waits, in milliseconds. */
  silence: number;
}

interface Locked {
  table: 'mappings' | 'apps';
  key: 'id' | 'client_id';
  /** What stands beside the table, and which of its rows are about to move. */
  from: RawBuilder<unknown>;
  where: RawBuilder<SqlBool>;
}

/**
 * Runs `move`, of which the result is the number of rows that moved. Where rows are locked one by one, those that are about
 * to move are locked in the order of their keys: two processes that keep the same uses would wait for each other else.
 */
async function inOrder(
  db: Database,
  { table, key, from, where }: Locked,
  move: RawBuilder<unknown>,
): Promise<number> {
  const run = async (tx: Database) => Number((await move.execute(tx)).numAffectedRows ?? 0);
  if (isSqlite(db)) return run(db);
  const lock = sql`select 1 from ${sql.table(table)} as t, ${from} where ${where}
    order by t.${sql.ref(key)} for no key update of t`;
  // The second statement has to see what the first one waited for.
  const transaction = db.transaction().setIsolationLevel('read committed');
  // Others lock the same rows in an order of their own.
  return retryConflicts(() =>
    transaction.execute(async (tx) => ((await lock.execute(tx)).rows.length === 0 ? 0 : run(tx))),
  );
}

/**
 * Keeps later uses; nothing ever moves back. A token that waits wakes by a use after a long silence: after a known one, or
 * after its holder was told that it is not used. A call that nobody serves is a use, and wakes nothing. Answers how many
 * rows moved.
 */
export async function keepLastUses(
  db: Database,
  uses: readonly LastUse[],
  { keptEvery, silence }: Silences,
): Promise<number> {
  const json = JSON.stringify(uses);
  const given = isSqlite(db)
    ? sql`(select value ->> 'mapping_id' as mapping_id, value ->> 'last_at' as last_at,
        value ->> 'served_at' as served_at from json_each(${json}))`
    : sql`(select * from json_to_recordset(${json}) as given (mapping_id text, last_at bigint, served_at bigint))`;
  const person = sql`case when t.account_id is null then 'email:' || t.account_email else 'account:' || t.account_id end`;
  const wakes = sql`t.state in (${sql.join(WAITING_STATES.map((state) => sql.lit(state)))}) and (
    t.last_used_at <= u.served_at - ${sql.lit(silence)}
    or (t.last_used_at is null and exists (select 1 from reminders r
      where r.person = ${person} and r.client_id = t.client_id and r.role = 'holder' and r.stage = 'unused'
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
 * Keeps for apps when any of their tokens last called what the old backend alone answers; nothing ever moves back. Kept like
 * `keepLastUses`.
 */
export async function keepPassedUses(
  db: Database,
  uses: readonly LastUse[],
  { keptEvery }: Pick<Silences, 'keptEvery'>,
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

/** When the uses were last read to their end; undefined before the first time. */
export async function readNotedAt(db: Database): Promise<number | undefined> {
  const row = await db.selectFrom('last_use_reading').select('noted_at').executeTakeFirst();
  return row?.noted_at;
}

/** Keeps that the uses until this moment were read; never moves back. */
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
