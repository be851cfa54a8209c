import { type SqlBool, sql } from 'kysely';
import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import { changedAt } from './changed-at.ts';

/** Apps and tokens that an import or an observation kept under an old account id, before a pair gave the new id. */

/** `legacyId` is the owner's id of an app, or the account's id of a token. */
interface UnderLegacyId {
  legacyId: string;
  clientId: string;
}

interface TokenUnderLegacyId extends UnderLegacyId {
  id: string;
  /** Whether the old id is in the column of the account id. */
  isItsAccount: boolean;
  email: string | null;
}

/** True for an id that the new API never reported and that is not the new id of any pair. */
const isNotModern = (column: 'mappings.account_id' | 'apps.owner_account_id') => sql<SqlBool>`
  not exists (select 1 from accounts a where a.account_id = ${sql.ref(column)} and a.email is not null)
  and not exists (select 1 from id_pairs p where p.kind = 'account' and p.modern_id = ${sql.ref(column)})`;

/** The apps and tokens under these old ids, in a fixed order, so that two concurrent transactions agree on it. */
export async function rowsUnderLegacyIds(
  tx: Database,
  legacyIds: readonly string[],
): Promise<{ apps: UnderLegacyId[]; tokens: TokenUnderLegacyId[] }> {
  const apps = await tx
    .selectFrom('apps')
    .select(['client_id as clientId', 'owner_account_id as legacyId'])
    .where(isOneOf(tx, 'owner_account_id', legacyIds))
    .where(isNotModern('apps.owner_account_id'))
    .orderBy('client_id')
    .execute();
  const named = await tx
    .selectFrom('mappings')
    .select(['id', 'client_id as clientId', 'account_email as email', 'account_id as legacyId'])
    .where(isOneOf(tx, 'account_id', legacyIds))
    .where(isNotModern('mappings.account_id'))
    .orderBy('id')
    .execute();
  const waiting = await tx
    .selectFrom('mappings')
    .select(['id', 'client_id as clientId', 'account_email as email', 'legacy_account_id as legacyId'])
    .where('account_id', 'is', null)
    .where(isOneOf(tx, 'legacy_account_id', legacyIds))
    .orderBy('id')
    .execute();
  return {
    apps: apps.map((row) => ({ ...row, legacyId: row.legacyId ?? '' })),
    tokens: [
      ...named.map((row) => ({ ...row, legacyId: row.legacyId ?? '', isItsAccount: true })),
      ...waiting.map((row) => ({ ...row, legacyId: row.legacyId ?? '', isItsAccount: false })),
    ],
  };
}

/** Gives apps their owner. */
export async function giveAppsTo(
  tx: Database,
  clientIds: readonly string[],
  accountId: string,
): Promise<void> {
  await tx
    .updateTable('apps')
    .set({ owner_account_id: accountId })
    .where(isOneOf(tx, 'client_id', clientIds))
    .execute();
}

/** Lets apps wait for an owner of whom only the address is known. An address that an app has stays. */
export async function letAppsWaitFor(
  tx: Database,
  clientIds: readonly string[],
  email: string,
): Promise<void> {
  await tx
    .updateTable('apps')
    .set((eb) => ({ owner_account_id: null, owner_email: eb.fn.coalesce('owner_email', eb.val(email)) }))
    .where(isOneOf(tx, 'client_id', clientIds))
    .execute();
}

/** Gives tokens their account. */
export async function giveTokensTo(
  tx: Database,
  ids: readonly string[],
  { accountId, now }: { accountId: string; now: number },
): Promise<void> {
  await tx
    .updateTable('mappings')
    .set({ account_id: accountId, updated_at: changedAt(now) })
    .where(isOneOf(tx, 'id', ids))
    .execute();
}

/**
 * Lets tokens wait for an account of which only an old id and an address are known. An address that a token has stays.
 */
export async function letTokensWaitFor(
  tx: Database,
  ids: readonly string[],
  { legacyId, email, now }: { legacyId: string; email: string; now: number },
): Promise<void> {
  await tx
    .updateTable('mappings')
    .set((eb) => ({
      account_id: null,
      account_email: eb.fn.coalesce('account_email', eb.val(email)),
      legacy_account_id: legacyId,
      updated_at: changedAt(now),
    }))
    .where(isOneOf(tx, 'id', ids))
    .execute();
}
