import { normalEmail } from '../../shared/mail/address.ts';
import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { ContactAccess } from '../tables/existing-token-tables.ts';

/** The contact addresses of an app, beside its owner. */

/** The contact addresses of an app, in order. */
export async function listContacts(db: Database, clientId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('app_contacts')
    .select('address')
    .where('client_id', '=', clientId)
    .orderBy('address')
    .execute();
  return rows.map(({ address }) => address);
}

/**
 * Removes a contact address; returns what the contact could do on the pages of the app. Undefined where the app does
 * not have the contact, or where the contact has access and `isWithAccess` is false.
 */
export async function deleteContact(
  tx: Database,
  { clientId, address, isWithAccess }: { clientId: string; address: string; isWithAccess: boolean },
): Promise<{ access: ContactAccess | null } | undefined> {
  return tx
    .deleteFrom('app_contacts')
    .where('client_id', '=', clientId)
    .where('address', '=', address)
    .$if(!isWithAccess, (query) => query.where('access', 'is', null))
    .returning('access')
    .executeTakeFirst();
}

/**
 * The addresses that were ever removed from the contacts of these apps, or left them, as addresses are compared and the
 * history names them. Only the history knows them; some are contacts again.
 */
export async function listRemovedContacts(db: Database, clientIds: readonly string[]) {
  if (clientIds.length === 0) return [];
  const rows = await db
    .selectFrom('events')
    .select((eb) => [
      eb.ref('client_id').$notNull().as('client_id'),
      eb.ref('reason').$notNull().as('address'),
    ])
    .distinct()
    .where(isOneOf(db, 'client_id', clientIds))
    .where('mapping_id', 'is', null)
    .where('grant_id', 'is', null)
    .where('action', '=', 'contact_removed')
    .execute();
  return rows.map(({ client_id, address }) => ({ client_id, address: normalEmail(address) }));
}
