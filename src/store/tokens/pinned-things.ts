import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import { rowsUnderLegacyIds } from './under-legacy-ids.ts';

/** What a pin of an address can change, and how it stands before and after. */

/** The ids of tokens, the client ids of apps, and old account ids. */
export interface PinnableThings {
  tokens: string[];
  apps: string[];
  oldIds: string[];
}

/** The old account ids that wait for their new id under an address. */
async function oldIdsUnder(tx: Database, email: string): Promise<string[]> {
  const rows = tx
    .selectFrom('id_pairs')
    .select('legacy_id')
    .where('kind', '=', 'account')
    .where('email', '=', email)
    .where('modern_id', 'is', null)
    .orderBy('legacy_id');
  return (await rows.execute()).map(({ legacy_id: id }) => id);
}

/** Everything that a pin of this address (in lower case) can change, at most `limit` of each. */
export async function thingsUnder(tx: Database, email: string, limit: number): Promise<PinnableThings> {
  const oldIds = await oldIdsUnder(tx, email);
  const followers = await rowsUnderLegacyIds(tx, oldIds);
  const apps = tx
    .selectFrom('apps')
    .select('client_id')
    .where('owner_email', '=', email)
    .where('owner_account_id', 'is', null);
  const clientIds = [
    ...(await apps.execute()).map(({ client_id: id }) => id),
    ...followers.apps.map(({ clientId }) => clientId),
  ];
  const tokens = tx
    .selectFrom('mappings')
    .select('id')
    .where('account_id', 'is', null)
    .where((eb) =>
      eb.or([
        eb('account_email', '=', email),
        eb('source', '=', 'registration')
          .and('account_email', 'is', null)
          .and(isOneOf(tx, 'client_id', clientIds)),
      ]),
    )
    .orderBy('id')
    .limit(limit);
  const ids = [...(await tokens.execute()).map(({ id }) => id), ...followers.tokens.map(({ id }) => id)];
  return { tokens: [...new Set(ids)], apps: [...new Set(clientIds)], oldIds };
}

/** The ids of all tokens at these apps that a pin of an address (in lower case) gives to its account. */
export async function tokensAtApps(
  tx: Database,
  email: string,
  clientIds: readonly string[],
): Promise<string[]> {
  const named = await tx
    .selectFrom('mappings')
    .select('id')
    .where('account_id', 'is', null)
    .where('account_email', '=', email)
    .where(isOneOf(tx, 'client_id', clientIds))
    .execute();
  const followers = await rowsUnderLegacyIds(tx, await oldIdsUnder(tx, email));
  const followed = followers.tokens.filter(({ clientId }) => clientIds.includes(clientId));
  return [...named, ...followed].map(({ id }) => id);
}

/** The owners of apps, by client id. */
export async function ownersOf(
  db: Database,
  clientIds: readonly string[],
): Promise<Map<string, string | null>> {
  const rows = db
    .selectFrom('apps')
    .select(['client_id', 'owner_account_id'])
    .where(isOneOf(db, 'client_id', clientIds));
  return new Map((await rows.execute()).map((row) => [row.client_id, row.owner_account_id]));
}

/** The new ids of old account ids. */
export async function newIdsOf(db: Database, oldIds: readonly string[]): Promise<Map<string, string | null>> {
  const rows = db
    .selectFrom('id_pairs')
    .select(['legacy_id', 'modern_id'])
    .where('kind', '=', 'account')
    .where(isOneOf(db, 'legacy_id', oldIds));
  return new Map((await rows.execute()).map((row) => [row.legacy_id, row.modern_id]));
}

/** The owner to be of an app. Without an address, the address under which the app waited stays as it is. */
interface NextOwner {
  id: string | null;
  email?: string | null;
}

/** Gives an app another owner, if its owner is still the one that it is taken from. */
export async function changeOwner(
  tx: Database,
  clientId: string,
  { from, to }: { from: string | null; to: NextOwner },
): Promise<boolean> {
  const changed = await tx
    .updateTable('apps')
    .set({ owner_account_id: to.id, ...(to.email !== undefined && { owner_email: to.email }) })
    .where('client_id', '=', clientId)
    .where('owner_account_id', 'is not distinct from', from)
    .executeTakeFirst();
  return changed.numUpdatedRows === 1n;
}

/** Lets an old account id wait again, if its new id is the one that it was given. */
export async function restoreOldId(
  tx: Database,
  oldId: string,
  { left, was }: { left: string | null; was: string | null },
): Promise<boolean> {
  const restored = await tx
    .updateTable('id_pairs')
    .set({ modern_id: was })
    .where('kind', '=', 'account')
    .where('legacy_id', '=', oldId)
    .where('modern_id', 'is not distinct from', left)
    .executeTakeFirst();
  return restored.numUpdatedRows === 1n;
}

/** The entries of an account that tell of such actions. */
const entriesOf = (db: Database, accountId: string, actions: readonly string[]) =>
  db
    .selectFrom('events')
    .select(['uid', 'mapping_id', 'client_id'])
    .where('account_id', '=', accountId)
    .where('action', 'in', actions)
    .orderBy('id');

/** The names (`uid`) of the newest entries that tell of a proof of the address to these apps. */
export async function entriesOfShares(
  db: Database,
  accountId: string,
  clientIds: readonly string[],
): Promise<Map<string, string>> {
  const proven = entriesOf(db, accountId, ['access_proven']).where(isOneOf(db, 'client_id', clientIds));
  return new Map((await proven.execute()).map(({ uid, client_id: id }) => [id ?? '', uid ?? '']));
}

/** The names (`uid`) of the newest entries that tell of a pin to an account: of tokens and apps, and of the old id. */
export async function entriesOfPin(db: Database, accountId: string, { tokens, apps }: PinnableThings) {
  const ofPin = entriesOf(db, accountId, ['account_pinned', 'app_changed']);
  const ofTokens = await ofPin.where(isOneOf(db, 'mapping_id', tokens)).execute();
  const ofApps = await ofPin
    .where(isOneOf(db, 'client_id', apps))
    .where('mapping_id', 'is', null)
    .execute();
  const ofOldId = await ofPin.where('client_id', 'is', null).where('mapping_id', 'is', null).execute();
  const named = [...ofTokens, ...ofApps].map(
    ({ uid, mapping_id: id, client_id: clientId }) => [id ?? clientId ?? '', uid ?? ''] as const,
  );
  return { ofThings: new Map(named), ofOldId: ofOldId.at(-1)?.uid ?? '' };
}
