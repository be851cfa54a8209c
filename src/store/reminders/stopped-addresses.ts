import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';

/** Addresses whose readers said that the reminders are not for them. */

/** The addresses among these (normalised) that want no reminders. */
export async function stoppedAmong(db: Database, addresses: readonly string[]): Promise<Set<string>> {
  if (addresses.length === 0) return new Set();
  const rows = await db
    .selectFrom('stopped_addresses')
    .select('address')
    .where(isOneOf(db, 'address', addresses))
    .execute();
  return new Set(rows.map(({ address }) => address));
}

/** Adds a normalised address; an existing entry stays unchanged. */
export async function insertStopped(
  db: Database,
  stopped: { address: string; mailId: string; now: number },
): Promise<void> {
  await db
    .insertInto('stopped_addresses')
    .values({ address: stopped.address, mail_id: stopped.mailId, stopped_at: stopped.now })
    .onConflict((conflict) => conflict.column('address').doNothing())
    .execute();
}

/** Removes a normalised address. Answers by which mail it was stopped; undefined when there was no entry. */
export async function deleteStopped(tx: Database, address: string): Promise<string | undefined> {
  const removed = await tx
    .deleteFrom('stopped_addresses')
    .where('address', '=', address)
    .returning('mail_id')
    .executeTakeFirst();
  return removed?.mail_id;
}
