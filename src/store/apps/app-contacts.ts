import type { Database } from '../driver/store.ts';

/** The addresses at which somebody answers for an app, beside its owner. */

/** The addresses of an app, in their order. */
export async function listContacts(db: Database, clientId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('app_contacts')
    .select('address')
    .where('client_id', '=', clientId)
    .orderBy('address')
    .execute();
  return rows.map(({ address }) => address);
}

/** Takes an address away. */
export async function deleteContact(tx: Database, clientId: string, address: string): Promise<void> {
  await tx
    .deleteFrom('app_contacts')
    .where('client_id', '=', clientId)
    .where('address', '=', address)
    .execute();
}
