import { chunksOf } from '../../shared/chunks-of.ts';
import type { IdKind } from '../tables/existing-token-tables.ts';
import type { Database, Store } from '../driver/store.ts';

/** The id by which an app knows a profile or account. */
export interface PublishedId {
  kind: IdKind;
  modernId: string;
  toldId: string;
}

/** Far below the number of parameters that both databases allow in one statement. */
const IDS_PER_STATEMENT = 2000;

/** The ids that an app was given for profiles and accounts with these new ids, in any order. */
export async function findPublishedIds(
  db: Database,
  clientId: string,
  modernIds: readonly string[],
): Promise<PublishedId[]> {
  const told: PublishedId[] = [];
  for (const some of chunksOf(modernIds, IDS_PER_STATEMENT)) {
    const rows = await db
      .selectFrom('told_ids')
      .select(['kind', 'modern_id as modernId', 'told_id as toldId'])
      .where('client_id', '=', clientId)
      .where('kind', 'in', ['profile', 'account'])
      .where('modern_id', 'in', some)
      .execute();
    told.push(...rows);
  }
  return told;
}

/** More ids are read in another way: each number of ids is a statement of its own. */
const MOST_PREPARED = 20;

/** One text per number of ids, so that each statement is prepared once. */
const byIds = (count: number) =>
  `select kind, modern_id as "modernId", told_id as "toldId" from told_ids
   where client_id = $1 and kind in ('profile', 'account')
   and modern_id in (${Array.from({ length: count }, (_, index) => `$${index + 2}`).join(', ')})`;

/** As `findPublishedIds`, of committed ids, for the path of every old call. */
export function lookUpPublishedIds(
  store: Store,
  clientId: string,
  modernIds: readonly string[],
): Promise<PublishedId[]> {
  if (modernIds.length > MOST_PREPARED) return findPublishedIds(store.durable, clientId, modernIds);
  return store.rows<PublishedId>(byIds(modernIds.length), [clientId, ...modernIds]);
}

/** Keeps the ids that an app is about to get. An id that the app got before stays. */
export async function keepPublishedIds(
  tx: Database,
  clientId: string,
  { ids, now }: { ids: readonly PublishedId[]; now: number },
): Promise<void> {
  const rows = ids.map(({ kind, modernId, toldId }) => ({
    client_id: clientId,
    kind,
    modern_id: modernId,
    told_id: toldId,
    told_at: now,
  }));
  for (const some of chunksOf(rows, IDS_PER_STATEMENT))
    await tx
      .insertInto('told_ids')
      .values(some)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}
