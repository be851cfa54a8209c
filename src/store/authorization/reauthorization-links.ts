import type { Selectable } from 'kysely';
import type { ExistingTokenTables } from '../tables/existing-token-tables.ts';
import type { AppAccount } from '../tokens/mappings.ts';
import type { Database } from '../driver/store.ts';

/** The one link per app and account that asks the account holder to consent. */

type LinkRow = Selectable<ExistingTokenTables['reauthorization_links']>;

/** A link by its id. */
export async function findLink(db: Database, id: string): Promise<LinkRow | undefined> {
  return db.selectFrom('reauthorization_links').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The id of the link of a pair. */
export async function findLinkOf(
  db: Database,
  { clientId, accountId }: AppAccount,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('reauthorization_links')
    .select('id')
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.id;
}

/** The link of a pair: the existing link, or this new link. Returns the id. */
export async function findOrInsertLink(
  tx: Database,
  link: { id: string; clientId: string; accountId: string; now: number },
): Promise<string> {
  await tx
    .insertInto('reauthorization_links')
    .values({ id: link.id, client_id: link.clientId, account_id: link.accountId, created_at: link.now })
    .onConflict((conflict) => conflict.columns(['client_id', 'account_id']).doNothing())
    .execute();
  const id = await findLinkOf(tx, link);
  if (id === undefined) throw new Error('a link is neither there nor made');
  return id;
}

/** Marks that a consent of the pair was finished, by the link or otherwise. */
export async function markLinkUsed(tx: Database, pair: AppAccount, now: number): Promise<void> {
  await tx
    .updateTable('reauthorization_links')
    .set({ used_at: now })
    .where('client_id', '=', pair.clientId)
    .where('account_id', '=', pair.accountId)
    .execute();
}
