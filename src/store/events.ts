import type { Database } from './store.ts';
import type { NewEvent } from './tables.ts';

/** Writes one entry of the history, in the same transaction as the change that it tells of; never a secret. */
export async function insertEvent(tx: Database, event: NewEvent): Promise<void> {
  await tx.insertInto('events').values(event).execute();
}
