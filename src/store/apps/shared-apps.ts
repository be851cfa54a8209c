import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { normalEmail } from '../../shared/mail/address.ts';
import type { Database } from '../driver/store.ts';
import type { Tables } from '../tables/tables.ts';
import type { ContactAccess } from '../tables/existing-token-tables.ts';

/** The contacts of apps who were given the pages of the app. */

/** A signed-in person: the account, and its e-mail address as addresses are compared. */
export interface AccessHolder {
  accountId: string;
  email: string;
}

/** A contact of an app, with what the contact may do. */
export interface ContactRow {
  address: string;
  access: ContactAccess | null;
  account_id: string | null;
  /** The address that the account has now, as far as the bridge knows. */
  account_email: string | null;
}

/** The contacts of an app, in the order of their addresses. */
export async function listContactRows(db: Database, clientId: string): Promise<ContactRow[]> {
  return db
    .selectFrom('app_contacts')
    .leftJoin('accounts', 'accounts.account_id', 'app_contacts.account_id')
    .select(['address', 'access', 'app_contacts.account_id', 'accounts.email as account_email'])
    .where('client_id', '=', clientId)
    .orderBy('address')
    .execute();
}

/** What a person may do on the pages of an app as its contact: more than one contact may be the same person. */
export async function findAccess(
  db: Database,
  { clientId, accountId, email }: AccessHolder & { clientId: string },
): Promise<ContactAccess[]> {
  const rows = await db
    .selectFrom('app_contacts')
    .select('access')
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    .where('access_email', '=', email)
    .execute();
  return rows.flatMap(({ access }) => access ?? []);
}

interface ContactKey {
  clientId: string;
  address: string;
}

/** Gives a contact access, or changes it; false where the contact has it already, or is not there. */
export async function setAccess(
  tx: Database,
  { clientId, address, access, email }: ContactKey & { access: ContactAccess; email: string },
): Promise<boolean> {
  const changed = await tx
    .updateTable('app_contacts')
    .set({ access, access_email: email })
    .where('client_id', '=', clientId)
    .where('address', '=', address)
    .where((eb) => eb.or([eb('access', 'is', null), eb('access', '<>', access)]))
    .executeTakeFirst();
  return changed.numUpdatedRows === 1n;
}

/** Takes the access of a contact away, with the proof of the address; false where the contact has none. */
export async function clearAccess(tx: Database, { clientId, address }: ContactKey): Promise<boolean> {
  const cleared = await tx
    .updateTable('app_contacts')
    .set({ access: null, access_email: null, account_id: null })
    .where('client_id', '=', clientId)
    .where('address', '=', address)
    .where('access', 'is not', null)
    .executeTakeFirst();
  return cleared.numUpdatedRows === 1n;
}

/** Whether an account has another address than this one. Of one that never signed in here no address is known. */
export const lostAddress = (now: string | null, address: string): boolean =>
  now !== null && normalEmail(now) !== normalEmail(address);

/** The accounts that showed once that an address is theirs, and are known to have another one by now. */
async function formerHolders(db: Database, email: string): Promise<string[]> {
  const rows = await db
    .selectFrom('app_contacts')
    .leftJoin('accounts', 'accounts.account_id', 'app_contacts.account_id')
    .select(['app_contacts.account_id', 'accounts.email'])
    .distinct()
    .where('access_email', '=', email)
    .execute();
  return rows.flatMap(({ account_id: id, email: now }) => (lostAddress(now, email) ? (id ?? []) : []));
}

/** Whether no account has proven the address of a contact, or one of these that have another address now. */
const mayBePinned =
  (former: readonly string[]) =>
  (eb: ExpressionBuilder<Tables, 'app_contacts'>): Expression<SqlBool> =>
    eb.or([
      eb('app_contacts.account_id', 'is', null),
      ...former.map((id) => eb('app_contacts.account_id', '=', id)),
    ]);

/**
 * Gives the account to contacts with access whose address it has proven. A contact keeps the account that it has, as
 * long as that account has the address.
 */
export async function pinAccess(
  tx: Database,
  { email, accountId }: AccessHolder,
): Promise<Array<{ client_id: string; access: ContactAccess | null }>> {
  const former = (await formerHolders(tx, email)).filter((id) => id !== accountId);
  return tx
    .updateTable('app_contacts')
    .set({ account_id: accountId })
    .where('access_email', '=', email)
    .where(mayBePinned(former))
    .returning(['client_id', 'access'])
    .execute();
}

/** The apps that are shared with an address, and the account that has proven it; null before that. */
export async function sharesWith(db: Database, email: string): Promise<Map<string, string | null>> {
  const rows = await db
    .selectFrom('app_contacts')
    .select(['client_id', 'account_id'])
    .where('access_email', '=', email)
    .orderBy('account_id')
    .execute();
  return new Map(rows.map((row) => [row.client_id, row.account_id]));
}

/**
 * Gives the contacts of an app with this address back, where this account has them: to the account that had them before,
 * or to nobody (null).
 */
export async function unpinAccess(
  tx: Database,
  { clientId, accountId, email, before }: AccessHolder & { clientId: string; before: string | null },
): Promise<void> {
  await tx
    .updateTable('app_contacts')
    .set({ account_id: before })
    .where('client_id', '=', clientId)
    .where('access_email', '=', email)
    .where('account_id', '=', accountId)
    .execute();
}

/** What is shared of live apps with an address that no account has proven since, or none of these former holders. */
const unprovenShares = (db: Database, email: string, former: readonly string[]) =>
  db
    .selectFrom('app_contacts')
    .innerJoin('apps', 'apps.client_id', 'app_contacts.client_id')
    .where('access_email', '=', email)
    .where(mayBePinned(former))
    .where('apps.retired_at', 'is', null);

/** Whether an app is shared with an address that no account has proven since, or none that still has it. */
export async function isShareUnproven(db: Database, email: string): Promise<boolean> {
  const shares = unprovenShares(db, email, await formerHolders(db, email));
  return (await shares.select('app_contacts.client_id').limit(1).executeTakeFirst()) !== undefined;
}

/** How many apps are shared so. */
export async function countUnprovenShares(db: Database, email: string): Promise<number> {
  const { n } = await unprovenShares(db, email, await formerHolders(db, email))
    .select((eb) => eb.fn.count<number>('app_contacts.client_id').distinct().as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

/** The apps that are shared with a person, by name. At most `limit`. */
export async function listSharedApps(
  db: Database,
  { accountId, email }: AccessHolder,
  limit: number,
): Promise<Array<{ client_id: string; name: string; access: ContactAccess | null }>> {
  return db
    .selectFrom('app_contacts')
    .innerJoin('apps', 'apps.client_id', 'app_contacts.client_id')
    .select(['apps.client_id', 'apps.name', 'app_contacts.access'])
    .where('app_contacts.account_id', '=', accountId)
    .where('app_contacts.access_email', '=', email)
    .where('apps.retired_at', 'is', null)
    .where((eb) =>
      eb.or([eb('apps.owner_account_id', 'is', null), eb('apps.owner_account_id', '<>', accountId)]),
    )
    .orderBy('apps.name')
    .orderBy('apps.client_id')
    .limit(limit)
    .execute();
}
