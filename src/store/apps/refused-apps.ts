import type { Database } from '../driver/store.ts';
import { lostAddress } from './shared-apps.ts';

/**
 * Apps that a person left, and that are not to be shared with them again. The history says so, in an entry of the app: it
 * outlives the contact, whom the owner may remove and add again.
 */

/** The actions of the history by which a person refuses an app, and lets it be shared again. */
const REFUSALS = ['access_refused', 'access_allowed'] as const;

interface SharePair {
  clientId: string;
  /** As addresses are compared. */
  email: string;
}

/**
 * Whether the newest of these entries refuses, of whoever has the address: one by an account that is known to have
 * another address now does not count. With `by`: and is of this account, for an address may be claimed by another.
 */
export async function isShareRefused(
  db: Database,
  { clientId, email, by }: SharePair & { by?: string },
): Promise<boolean> {
  const newest = await db
    .selectFrom('events')
    .leftJoin('accounts', 'accounts.account_id', 'events.account_id')
    .select(['events.action', 'events.account_id', 'accounts.email'])
    .where('events.client_id', '=', clientId)
    .where('events.mapping_id', 'is', null)
    .where('events.grant_id', 'is', null)
    .where('events.action', 'in', REFUSALS)
    .where('events.reason', '=', email)
    .orderBy('events.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest?.action !== 'access_refused') return false;
  return by === undefined ? !lostAddress(newest.email, email) : newest.account_id === by;
}

/** The apps of an owner that are shared with an address, or were refused by whoever has it (`isShareRefused`). */
export async function appsSharedByOwner(
  db: Database,
  { owner, email }: { owner: string; email: string },
): Promise<string[]> {
  const owned = db.selectFrom('apps').select('client_id').where('owner_account_id', '=', owner);
  const given = db
    .selectFrom('app_contacts')
    .select('client_id')
    .where('client_id', 'in', owned)
    .where('access_email', '=', email);
  const refused = db
    .selectFrom('events')
    .leftJoin('accounts', 'accounts.account_id', 'events.account_id')
    .select((eb) => [eb.ref('events.client_id').$notNull().as('client_id'), 'accounts.email'])
    .where('events.client_id', 'in', owned)
    .where('events.mapping_id', 'is', null)
    .where('events.grant_id', 'is', null)
    .where('events.action', '=', 'access_refused')
    .where('events.reason', '=', email);
  const by = (await refused.execute()).filter((entry) => !lostAddress(entry.email, email));
  const apps = [...(await given.execute()), ...by].map(({ client_id: clientId }) => clientId);
  return [...new Set(apps)];
}

interface SharedWith {
  accountId: string;
  email: string;
}

/** Removes a person from the contacts of an app; false where the app is not shared with them. */
export async function deleteSharedContact(
  tx: Database,
  { clientId, accountId, email }: SharedWith & { clientId: string },
): Promise<boolean> {
  const removed = await tx
    .deleteFrom('app_contacts')
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    .where('access_email', '=', email)
    .where('access', 'is not', null)
    .returning('address')
    .execute();
  return removed.length > 0;
}

/** The apps of an owner that are shared with a person. */
export async function listSharedByOwner(
  db: Database,
  { owner, accountId, email }: SharedWith & { owner: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom('app_contacts')
    .innerJoin('apps', 'apps.client_id', 'app_contacts.client_id')
    .select('apps.client_id')
    .distinct()
    .where('app_contacts.account_id', '=', accountId)
    .where('app_contacts.access_email', '=', email)
    .where('app_contacts.access', 'is not', null)
    .where('apps.owner_account_id', '=', owner)
    .orderBy('apps.client_id')
    .execute();
  return rows.map(({ client_id: clientId }) => clientId);
}
