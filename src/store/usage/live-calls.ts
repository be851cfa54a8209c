import { type Insertable, type Selectable, sql } from 'kysely';
import type { Store } from '../driver/store.ts';
import type { VolatileTables } from '../tables/tables.ts';

/** The last calls of apps that a person watches. */

export type LiveCallRow = Selectable<VolatileTables['live_calls']>;

export type NewLiveCall = Insertable<VolatileTables['live_calls']>;

/** Writes calls in one statement. */
export async function insertLiveCalls({ volatile }: Store, rows: readonly NewLiveCall[]): Promise<void> {
  await volatile.insertInto('live_calls').values(rows).execute();
}

/** The calls of an app, or of one account's tokens at the app, after an id, newest first. */
export async function listLiveCalls(
  { volatile }: Store,
  { clientId, accountId }: { clientId: string; accountId: string | undefined },
  { after, limit }: { after: string; limit: number },
): Promise<LiveCallRow[]> {
  return volatile
    .selectFrom('live_calls')
    .selectAll()
    .where('client_id', '=', clientId)
    .where('id', '>', after)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Removes at most `limit` calls before an id; returns how many. */
export async function deleteLiveCallsBefore({ volatile }: Store, id: string, limit: number): Promise<number> {
  const removal = sql`delete from live_calls where id in
    (select id from live_calls where id < ${id} order by id limit ${limit})`;
  return Number((await removal.execute(volatile)).numAffectedRows ?? 0);
}
