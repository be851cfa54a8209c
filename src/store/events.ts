import type { Database } from './store.ts';
import type { NewEvent } from './tables.ts';

/** Each entry has eleven parameters; SQLite allows 32,766 in a statement. */
const ROWS_PER_STATEMENT = 500;

/** Writes entries of the history in their order, in the transaction of the changes that they tell of. */
export async function insertEvents(tx: Database, events: readonly NewEvent[]): Promise<void> {
  for (let start = 0; start < events.length; start += ROWS_PER_STATEMENT) {
    await tx
      .insertInto('events')
      .values(events.slice(start, start + ROWS_PER_STATEMENT))
      .execute();
  }
}
