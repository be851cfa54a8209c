import type { Database } from '../driver/store.ts';
import type { PostWriteRow } from '../tables/posts.ts';
import { SHOWN_COLUMNS, type ShownEvent } from './support-events.ts';

/** What one request left in the database, by its id. */

/** Entries of the history after the one with the id `after`, the oldest first. */
export async function eventsOfRequest(
  db: Database,
  requestId: string,
  { after, limit }: { after: number; limit: number },
): Promise<ShownEvent[]> {
  const query = db.selectFrom('events').select(SHOWN_COLUMNS).where('request_id', '=', requestId);
  return query.where('id', '>', after).orderBy('id').limit(limit).execute();
}

/** Writes of the call, the oldest first. */
export async function writesOfRequest(
  db: Database,
  requestId: string,
  limit: number,
): Promise<PostWriteRow[]> {
  const query = db.selectFrom('post_writes').selectAll().where('request_id', '=', requestId);
  return query.orderBy('sent_at').orderBy('id').limit(limit).execute();
}
