import { sql } from 'kysely';
import type { Database } from '../driver/store.ts';

/** Grants of clients whose credentials the bridge does not have. */

/**
 * The live grants of clients that are neither the bridge's nor an app's own, by client; among the first `limit` live grants
 * by account. `read` says how many there were.
 */
export async function countOfUnknownClients(
  db: Database,
  bridgeClientId: string,
  limit: number,
): Promise<{ read: number; clients: Array<{ id: string; n: number }> }> {
  const first = db
    .selectFrom('grants')
    .select('modern_client_id as id')
    // Repeats the condition of the index grants_live.
    .where('state', '<>', sql.lit('dead'))
    .orderBy('client_id')
    .orderBy('account_id')
    .limit(limit);
  const rows = await db
    .selectFrom(first.as('first'))
    .leftJoin('modern_clients', 'modern_clients.id', 'first.id')
    .select((eb) => ['first.id', 'modern_clients.id as own', eb.fn.countAll<number | string>().as('n')])
    .groupBy(['first.id', 'modern_clients.id'])
    .execute();
  const counted = rows.map(({ n, ...row }) => ({ ...row, n: Number(n) }));
  return {
    read: counted.reduce((sum, { n }) => sum + n, 0),
    clients: counted
      .filter(({ id, own }) => own === null && id !== bridgeClientId)
      .map(({ id, n }) => ({ id, n })),
  };
}
