import { type Insertable, type Selectable, sql, type SqlBool } from 'kysely';
import { chunksOf } from '../../shared/chunks-of.ts';
import { isOneOf } from '../driver/many-rows.ts';
import { deletePiece, type Piece, type PieceResult } from '../driver/pieces.ts';
import type { Database } from '../driver/store.ts';
import type { DeedTables, DeedThing } from '../tables/deeds.ts';

/** Deeds: what was changed by one action, so that it can be taken back. */

export type DeedRow = Selectable<DeedTables['deeds']>;
type DeedPartRow = Selectable<DeedTables['deed_parts']>;
type NewDeedPart = Insertable<DeedTables['deed_parts']>;

const PARTS_AT_ONCE = 200;

/** Keeps a deed, in the transaction of the action. */
export async function insertDeed(
  tx: Database,
  deed: Insertable<DeedTables['deeds']>,
  parts: readonly NewDeedPart[],
): Promise<void> {
  await tx.insertInto('deeds').values(deed).execute();
  for (const some of chunksOf(parts, PARTS_AT_ONCE)) await tx.insertInto('deed_parts').values(some).execute();
}

/** Claims a deed to take it back: once, and only where it was done after a time. */
export async function claimDeed(
  tx: Database,
  id: string,
  { now, by, doneAfter }: { now: number; by: string; doneAfter: number },
): Promise<boolean> {
  const claimed = await tx
    .updateTable('deeds')
    .set({ back_at: now, back_by: by })
    .where('id', '=', id)
    .where('back_at', 'is', null)
    .where('lost', 'is', null)
    .where('done_at', '>', doneAfter)
    .executeTakeFirst();
  return claimed.numUpdatedRows === 1n;
}

/** A deed. */
export async function readDeed(db: Database, id: string): Promise<DeedRow | undefined> {
  return db.selectFrom('deeds').selectAll().where('id', '=', id).executeTakeFirst();
}

/** A part with the id of its entry in the history. */
export type PartWithEntry = DeedPartRow & { entry_id: number };

const partsWithEntries = (db: Database) =>
  db
    .selectFrom('deed_parts')
    .innerJoin('events', 'events.uid', 'deed_parts.entry_uid')
    .selectAll('deed_parts')
    .select('events.id as entry_id');

/** The parts of a deed, in the order of their entries. */
export async function listParts(db: Database, deedId: string): Promise<PartWithEntry[]> {
  return partsWithEntries(db).where('deed_id', '=', deedId).orderBy('events.id').execute();
}

/**
 * The parts of deeds with these entries. The caller names entries of tokens: a condition on the thing would have SQLite go
 * through the parts of all tokens.
 */
export async function listPartsOf(db: Database, entryIds: readonly number[]): Promise<PartWithEntry[]> {
  if (entryIds.length === 0) return [];
  return partsWithEntries(db).where('events.id', 'in', entryIds).execute();
}

const deedsWithEntries = (db: Database) =>
  db
    .selectFrom('events')
    .innerJoin('deed_parts', 'deed_parts.entry_uid', 'events.uid')
    .innerJoin('deeds', 'deeds.id', 'deed_parts.deed_id')
    .selectAll('deeds')
    .select([
      'events.id as entry_id',
      'events.mapping_id',
      'events.client_id',
      'events.account_id',
      'events.reason',
    ]);

/** A deed with one of its entries. */
export type DeedWithEntry = Awaited<ReturnType<typeof deedsOfEntries>>[number];

/** The deeds of these entries of the history. Most entries have none. */
export async function deedsOfEntries(db: Database, entryIds: readonly number[]) {
  return entryIds.length === 0
    ? []
    : deedsWithEntries(db).where('events.id', 'in', entryIds).orderBy('events.id').execute();
}

/** The newest deed on a thing that was not taken back, with its entry. Once it is taken back, the one before it may be. */
export async function newestDeedOn(
  db: Database,
  thing: DeedThing,
  subject: string,
): Promise<DeedWithEntry | undefined> {
  return deedsWithEntries(db)
    .where('thing', '=', thing)
    .where('subject', '=', subject)
    .where('back_at', 'is', null)
    .orderBy('events.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * The confirmations of hand-overs of an app that were made after a time and stand, and whose pair is still kept, the newest
 * first, before an entry.
 */
export async function confirmationsWithPair(
  db: Database,
  asked: { clientId: string; after: number; before?: number | undefined; limit: number },
): Promise<DeedWithEntry[]> {
  const { clientId, after, before, limit } = asked;
  return deedsWithEntries(db)
    .where('deed_parts.client_id', '=', clientId)
    .where('thing', '<>', sql.lit('token'))
    .where('thing', '=', 'handover')
    .where('done_at', '>', after)
    .where('back_at', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('grants')
          .select('grants.id')
          .whereRef('grants.id', '=', 'deed_parts.subject')
          .where('refresh_token_sealed', 'is not', null),
      ),
    )
    .$if(before !== undefined, (query) => query.where('events.id', '<', before ?? 0))
    .orderBy('events.id', 'desc')
    .limit(limit)
    .execute();
}

/** What staff do with an app, never its owner. A lead may own the app, and is the same actor then. */
const DONE_BY_STAFF = [
  'owner_changed',
  'app_extended',
  'extension_ended',
  'extension_taken_back',
  'app_cut_over',
  'taken_back',
  'mail_settled',
  // By the pin of an account with whose address the app is shared.
  'access_proven',
];

/** Whether the actor has changed one of these apps as its owner since an entry. */
export async function hasChangedApps(
  db: Database,
  { clientIds, actor, since }: { clientIds: readonly string[]; actor: string; since: number },
): Promise<boolean> {
  const row = await db
    .selectFrom('events')
    .select('id')
    .where(isOneOf(db, 'client_id', clientIds))
    .where('mapping_id', 'is', null)
    .where('grant_id', 'is', null)
    .where('id', '>', since)
    .where('actor', '=', actor)
    .where('action', 'not in', DONE_BY_STAFF)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether the code of a token came a second time since an entry, where that ends the token. */
export async function wasReplayedSince(db: Database, mappingId: string, since: number): Promise<boolean> {
  const row = await db
    .selectFrom('events')
    .select('id')
    .where('mapping_id', '=', mappingId)
    .where('action', '=', 'code_replayed')
    .where('reason', '=', 'revoke')
    .where('id', '>', since)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The first piece of either, by the ids of deeds. */
export const FIRST_DEEDS: Piece = { after: '', limit: 500 };

/** Removes a piece of the parts of deeds that were done before a time. */
export function deletePartsBefore(db: Database, time: number, piece: Piece): Promise<PieceResult> {
  const which = sql<SqlBool>`deed_id in (select id from deeds where done_at < ${time})`;
  return deletePiece(db, { table: 'deed_parts', key: 'entry_uid', by: 'deed_id', which }, piece);
}

/** Removes a piece of the deeds of before a time that have no parts any more. */
export function deleteDeedsBefore(db: Database, time: number, piece: Piece): Promise<PieceResult> {
  const which = sql<SqlBool>`done_at < ${time}
    and not exists (select 1 from deed_parts where deed_id = deeds.id)`;
  return deletePiece(db, { table: 'deeds', key: 'id', by: 'id', which }, piece);
}
