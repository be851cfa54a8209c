import type { Database } from '../driver/store.ts';

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

/** Removes a contact address. */
export async function deleteContact(tx: Database, clientId: string, address: string): Promise<void> {
  await tx
    .deleteFrom('app_contacts')
    .where('client_id', '=', clientId)
    .where('address', '=', address)
    .execute();
}
