import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { chunksOf } from '../../shared/chunks-of.ts';
import { builtOnce } from '../driver/built-once.ts';
import { insertionOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { Event, NewEvent } from '../tables/tables.ts';

/** Entries per page. */
export const EVENTS_PER_PAGE = 1000;

/** No history is this long. A position beyond it was not written by the bridge, and has no next whole number. */
const LAST_POSITION = 2 ** 52;

/** The position of an entry in the chain, and the chain's value there. */
export interface ChainLink {
  position: number;
  chain: string;
}

/** An entry before its place in the chain. */
type UnchainedEvent = Omit<NewEvent, 'id' | 'position' | 'chain'>;

const inserting = builtOnce((tx: Database, event: Required<UnchainedEvent>) =>
  tx
    .insertInto('events')
    .values({
      uid: event.uid,
      at: event.at,
      actor: event.actor,
      action: event.action,
      client_id: event.client_id,
      account_id: event.account_id,
      grant_id: event.grant_id,
      mapping_id: event.mapping_id,
      reason: event.reason,
      request_id: event.request_id,
      witness: event.witness,
    })
    .compile(),
);

/** An entry with a value for each parameter. */
const whole = (event: UnchainedEvent): Required<UnchainedEvent> => ({
  uid: event.uid ?? null,
  at: event.at,
  actor: event.actor,
  action: event.action,
  client_id: event.client_id ?? null,
  account_id: event.account_id ?? null,
  grant_id: event.grant_id ?? null,
  mapping_id: event.mapping_id ?? null,
  reason: event.reason ?? null,
  request_id: event.request_id ?? null,
  witness: event.witness ?? null,
});

/** Writes history entries in order, in the transaction of the changes that the entries describe. */
export async function insertEvents(tx: Database, events: readonly UnchainedEvent[]): Promise<void> {
  const [first] = events;
  if (events.length > 1) await insertionOf(tx, 'events', events).execute(tx);
  else if (first) await inserting(tx, whole(first));
}

function linkOf(row: Pick<Event, 'position' | 'chain'> | undefined): ChainLink | undefined {
  return row && row.position !== null ? { position: row.position, chain: row.chain ?? '' } : undefined;
}

/** The newest chained entry. */
export async function readHead(db: Database): Promise<ChainLink | undefined> {
  const row = await db
    .selectFrom('events')
    .select(['position', 'chain'])
    .where('position', '<', LAST_POSITION)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return linkOf(row);
}

/** The chain's value at a position. */
export async function readLink(db: Database, position: number): Promise<ChainLink | undefined> {
  const query = db.selectFrom('events').select(['position', 'chain']).where('position', '=', position);
  return linkOf(await query.executeTakeFirst());
}

/** The links at positions, by position. */
export async function linksAt(db: Database, positions: readonly number[]): Promise<Map<number, ChainLink>> {
  const links = new Map<number, ChainLink>();
  for (const some of chunksOf([...new Set(positions)], EVENTS_PER_PAGE)) {
    const query = db.selectFrom('events').select(['position', 'chain']).where('position', 'in', some);
    for (const row of await query.execute()) {
      const link = linkOf(row);
      if (link) links.set(link.position, link);
    }
  }
  return links;
}

/** Entries that wait to be chained, in the order of their ids, after an id. */
export async function listUnchained(
  db: Database,
  { after = Number.MIN_SAFE_INTEGER, limit }: { after?: number | undefined; limit: number },
): Promise<Event[]> {
  const query = db.selectFrom('events').selectAll().where('position', 'is', null).where('id', '>', after);
  return query.orderBy('id').limit(limit).execute();
}

/** How many entries wait to be chained, counted up to `limit`. */
export async function countUnchained(db: Database, limit: number): Promise<number> {
  const waiting = db
    .selectFrom('events')
    .select('id')
    .where('position', 'is', null)
    .limit(limit)
    .as('waiting');
  const row = await db
    .selectFrom(waiting)
    .select(sql<number | string>`count(*)`.as('n'))
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

/**
 * When the oldest entry was written that waits behind the newest chained one; undefined without one. An entry that the chain has
 * passed over is foreign, and waits for ever.
 */
export async function oldestUnchained(db: Database): Promise<number | undefined> {
  const head = db
    .selectFrom('events')
    .select('id')
    .where('position', '<', LAST_POSITION)
    .orderBy('position', 'desc')
    .limit(1);
  const row = await db
    .selectFrom('events')
    .select('at')
    .where('position', 'is', null)
    .where('id', '>', sql<number>`coalesce(${head}, ${sql.lit(Number.MIN_SAFE_INTEGER)})`)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.at;
}

/** The last waiting entry of an old version, whose entries had neither a name nor a witness. */
export async function findLastUnwitnessed(db: Database): Promise<number | undefined> {
  const query = db.selectFrom('events').select('id').where('uid', 'is', null).where('witness', 'is', null);
  // The plus sign keeps SQLite from the index of positions, where it would scan all waiting entries.
  const waiting = query.where(sql`+position`, 'is', null);
  return (await waiting.orderBy('id', 'desc').limit(1).executeTakeFirst())?.id;
}

/** Sets positions and chain values of entries that have none; returns how many had none. */
export async function chainEvents(
  tx: Database,
  links: ReadonlyArray<ChainLink & { id: number }>,
): Promise<number> {
  if (links.length === 0) return 0;
  const rows = links.map(
    ({ id, position, chain }) =>
      sql`(cast(${id} as bigint), cast(${position} as bigint), cast(${chain} as text))`,
  );
  // The plus sign keeps SQLite from the index of positions, where it would scan all waiting entries for each of these.
  const update = sql`with links (id, position, chain) as (values ${sql.join(rows)})
    update events set position = links.position, chain = links.chain from links
    where events.id = links.id and +events.position is null`;
  const { numAffectedRows } = await update.execute(tx);
  return Number(numAffectedRows);
}

interface EventPosition {
  position: number;
  id: number;
}

const FIRST_PLACE: EventPosition = { position: Number.MIN_SAFE_INTEGER, id: Number.MIN_SAFE_INTEGER };

/**
 * Positions are unique while their index exists. An attacker who can write to the database may have dropped the index.
 */
async function listChained(db: Database, after: EventPosition): Promise<Array<Event & EventPosition>> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('position', '>=', after.position)
    .where((eb) => eb.or([eb('position', '>', after.position), eb('id', '>', after.id)]))
    .orderBy('position')
    .orderBy('id')
    .limit(EVENTS_PER_PAGE)
    .execute();
  return rows.map((row) => ({ ...row, position: Number(row.position) }));
}

/** All chained entries in the order of the chain, a page at a time. */
export async function* chainedPages(
  db: Database,
  from = FIRST_PLACE,
): AsyncGenerator<Array<Event & EventPosition>> {
  let after = from;
  for (;;) {
    const page = await listChained(db, after);
    const last = page.at(-1);
    // A number beyond 2^53 may come back rounded to the same value, without end.
    if (!last || (last.position === after.position && last.id === after.id)) return;
    yield page;
    after = last;
  }
}

/** All entries that wait to be chained, in the order of their ids, a page at a time. */
export async function* unchainedPages(db: Database): AsyncGenerator<Event[]> {
  let after: number | undefined;
  for (;;) {
    const page = await listUnchained(db, { after, limit: EVENTS_PER_PAGE });
    const last = page.at(-1);
    if (!last || last.id === after) return;
    yield page;
    after = last.id;
  }
}

async function* eventsById(db: Database, ids: readonly number[]): AsyncGenerator<Event> {
  for (const some of chunksOf(ids, EVENTS_PER_PAGE))
    yield* await db.selectFrom('events').selectAll().where('id', 'in', some).orderBy('id').execute();
}

/** The first chained entries after a position, at most a page. */
export async function firstChainedAfter(
  db: Database,
  position: number,
): Promise<Array<Event & EventPosition>> {
  return listChained(db, { position, id: Number.MAX_SAFE_INTEGER });
}

/**
 * Every entry after a position once, even while a bridge is chaining: first the chain in order, then the waiting
 * entries.
 */
export async function* allEvents(db: Database, position = Number.MIN_SAFE_INTEGER): AsyncGenerator<Event> {
  let end: EventPosition = { position, id: Number.MAX_SAFE_INTEGER };
  for await (const page of chainedPages(db, end)) {
    yield* page;
    await setImmediate();
    end = page.at(-1) ?? end;
  }
  const waiting = new Set<number>();
  for await (const page of unchainedPages(db)) {
    for (const { id } of page) waiting.add(id);
    // SQLite answers at once, so the process would hear no signal before the last page.
    await setImmediate();
  }
  for await (const page of chainedPages(db, end)) {
    for (const { id } of page) waiting.delete(id);
    yield* page;
    await setImmediate();
  }
  yield* eventsById(db, [...waiting]);
}

/** The entries of one action. */
export async function listEventsOf(db: Database, action: string): Promise<Event[]> {
  return db.selectFrom('events').selectAll().where('action', '=', action).orderBy('id').execute();
}

/** Whether another entry has the same witness or the same chain value. */
export async function isCopied(db: Database, event: Event): Promise<boolean> {
  const row = await db
    .selectFrom('events')
    .select('id')
    .where('id', '!=', event.id)
    .where((eb) => eb.or([eb('witness', '=', event.witness), eb('chain', '=', event.chain)]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
