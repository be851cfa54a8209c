import { type Selectable, sql, type SqlBool } from 'kysely';
import { isOneOf } from '../driver/many-rows.ts';
import type { PageTables } from '../tables/page-tables.ts';
import { endOfPiece } from '../driver/next-piece.ts';
import type { Database } from '../driver/store.ts';
import { type MappingState, WAITING_STATES } from '../tables/tables.ts';

/** How many tokens of apps are in each state, counted and kept. */

export type Progress = Selectable<PageTables['progress']>;

/** The counts of an app on a day. */
export type TokenNumbers = Omit<Progress, 'client_id' | 'day'>;

/** The counts of an app without tokens. */
export const NOTHING_COUNTED: Readonly<TokenNumbers> = {
  unmapped: 0,
  active: 0,
  reauthorization_required: 0,
  revoked: 0,
  migrated: 0,
  waiting_people: 0,
};

/** A part of all tokens. Counting in pieces keeps other work from waiting for long. */
interface PieceRequest<Key> {
  after: Key;
  /** The approximate number of tokens in a piece. */
  size: number;
}

interface CountedPiece<Key, Row> {
  rows: Row[];
  /** The last key of the piece; undefined when no piece follows. */
  next: Key | undefined;
}

/** Counts the tokens of the next piece by app and state, in the order of their ids. */
export async function countStates(
  db: Database,
  piece: PieceRequest<string>,
): Promise<CountedPiece<string, { client_id: string; state: MappingState; n: number }>> {
  const { last, next } = await endOfPiece(db, 'mappings', piece);
  const rows = await db
    .selectFrom('mappings')
    .select((eb) => ['client_id', 'state', eb.fn.countAll<number | string>().as('n')])
    .where('id', '>', piece.after)
    .where('id', '<=', last)
    .groupBy(['client_id', 'state'])
    .execute();
  return { rows: rows.map((row) => ({ ...row, n: Number(row.n) })), next };
}

export interface AppAccountKey {
  client_id: string;
  account_id: string;
}

/** Whether accounts have a waiting token, by app: the next piece in the order of apps and accounts. */
export async function listWaitingAccounts(
  db: Database,
  { after, size }: PieceRequest<AppAccountKey>,
): Promise<CountedPiece<AppAccountKey, { client_id: string; n: 0 | 1 }>> {
  const rows = await db
    .selectFrom('mappings')
    .select(['client_id', 'account_id'])
    .select((eb) =>
      eb.fn.max(eb.case().when('state', 'in', WAITING_STATES).then(1).else(0).end()).as('is_waiting'),
    )
    .where(sql<SqlBool>`(client_id, account_id) > (${after.client_id}, ${after.account_id})`)
    .where('account_id', 'is not', null)
    // A condition on the last pair of the piece would let SQLite choose an index in which it reads all tokens of a
    // large app each time.
    .groupBy(['client_id', 'account_id'])
    .orderBy('client_id')
    .orderBy('account_id')
    .limit(size)
    .execute();
  const last = rows.length < size ? undefined : rows.at(-1);
  return {
    rows: rows.map(({ client_id, is_waiting }) => ({ client_id, n: is_waiting === 1 ? 1 : 0 })),
    next: last && { client_id: last.client_id, account_id: last.account_id ?? '' },
  };
}

/** How many addresses without an account have a waiting token, by app: the next piece in the order of addresses. */
export async function countWaitingAddresses(
  db: Database,
  { after, size }: PieceRequest<string>,
): Promise<CountedPiece<string, { client_id: string; n: number }>> {
  const behind = db.selectFrom('mappings').where('account_id', 'is', null).where('account_email', '>', after);
  const end = await behind
    .select('account_email')
    .orderBy('account_email')
    .limit(1)
    .offset(size - 1)
    .executeTakeFirst();
  const next = end?.account_email ?? undefined;
  const last =
    next ?? (await behind.select((eb) => eb.fn.max('account_email').as('last')).executeTakeFirst())?.last;
  if (typeof last !== 'string') return { rows: [], next: undefined };
  const rows = await behind
    .select(['client_id', sql<number | string>`count(distinct account_email)`.as('n')])
    // Without this SQLite chooses an index for the last piece in which it reads every token.
    .where('account_email', '<=', last)
    .where('state', 'in', WAITING_STATES)
    .groupBy('client_id')
    .execute();
  return { rows: rows.map((row) => ({ ...row, n: Number(row.n) })), next };
}

/** The next apps in the order of their ids, retired apps included. */
export async function listAppsAfter(
  db: Database,
  after: string,
  limit: number,
): Promise<Array<{ clientId: string; name: string; isRetired: boolean }>> {
  const rows = await db
    .selectFrom('apps')
    .select(['client_id', 'name', 'retired_at'])
    .where('client_id', '>', after)
    .orderBy('client_id')
    .limit(limit)
    .execute();
  return rows.map(({ client_id: clientId, name, retired_at }) => ({
    clientId,
    name,
    isRetired: retired_at !== null,
  }));
}

/** The newest row of each of these apps, if any. */
export async function newestProgress(db: Database, clientIds: readonly string[]): Promise<Progress[]> {
  return db
    .selectFrom('progress as p')
    .selectAll()
    .where(isOneOf(db, 'p.client_id', clientIds))
    .where('p.day', '=', (eb) =>
      eb
        .selectFrom('progress as newest')
        .select((e) => e.fn.max('newest.day').as('day'))
        .whereRef('newest.client_id', '=', 'p.client_id'),
    )
    .execute();
}

/** Keeps these rows, replacing rows of the same app and day. */
export async function keepRows(db: Database, rows: readonly Progress[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('progress')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['client_id', 'day']).doUpdateSet((eb) => ({
        unmapped: eb.ref('excluded.unmapped'),
        active: eb.ref('excluded.active'),
        reauthorization_required: eb.ref('excluded.reauthorization_required'),
        revoked: eb.ref('excluded.revoked'),
        migrated: eb.ref('excluded.migrated'),
        waiting_people: eb.ref('excluded.waiting_people'),
      })),
    )
    .execute();
}

/** When the tokens were last counted; undefined before the first time. */
export async function readCountedAt(db: Database): Promise<number | undefined> {
  const row = await db.selectFrom('progress_reading').select('counted_at').executeTakeFirst();
  return row?.counted_at;
}

/** Records that the kept counts are as of this moment. */
export async function keepCountedAt(db: Database, now: number): Promise<void> {
  await db
    .insertInto('progress_reading')
    .values({ singleton: 1, counted_at: now })
    .onConflict((conflict) => conflict.column('singleton').doUpdateSet({ counted_at: now }))
    .execute();
}

/** Removes rows of these apps from before a day. The newest row of each app stays, whatever its day. */
export async function deleteProgressBefore(
  db: Database,
  clientIds: readonly string[],
  day: string,
): Promise<void> {
  await db
    .deleteFrom('progress')
    .where(isOneOf(db, 'client_id', clientIds))
    .where('day', '<', day)
    .where('day', '<', (eb) =>
      eb
        .selectFrom('progress as newest')
        .select((e) => e.fn.max('newest.day').as('day'))
        .whereRef('newest.client_id', '=', 'progress.client_id'),
    )
    .execute();
}
