import type { Database } from '../driver/store.ts';
import type { Event } from '../tables/tables.ts';

/** Whole entries, with the columns of the chain, in the order in which they were written. */

const entries = (db: Database, limit: number) =>
  db.selectFrom('events').selectAll().orderBy('id').limit(limit);

/** Which entries are wanted: those of some actions, up to a moment. */
export interface WantedEntries {
  actions: readonly string[];
  until: number;
  limit: number;
}

/** The entries of one token. */
export async function entriesOfToken(
  db: Database,
  mappingId: string,
  { actions, until, limit }: WantedEntries,
): Promise<Event[]> {
  return entries(db, limit)
    .where('mapping_id', '=', mappingId)
    .where('action', 'in', actions)
    .where('at', '<=', until)
    .execute();
}

/** The entries about a grant itself, without those of its tokens. */
export async function entriesOfGrant(
  db: Database,
  grantId: string,
  { actions, until, limit }: WantedEntries,
): Promise<Event[]> {
  return entries(db, limit)
    .where('grant_id', '=', grantId)
    .where('mapping_id', 'is', null)
    .where('action', 'in', actions)
    .where('at', '<=', until)
    .execute();
}
