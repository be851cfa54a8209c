import { addRows } from '../../../store/import/import-rows.ts';
import type { Database } from '../../../store/driver/store.ts';
import { recordEvents } from '../../history/record-event.ts';
import type { ImportContext } from '../outcomes.ts';

interface NamingRequest {
  ids: ReadonlyArray<string | null>;
  /** For the history. */
  reason: string;
}

/**
 * Adds a row for each account that a batch names and that has no row yet. Without a row, an account gets no reminders.
 */
export async function nameAccounts(
  { context, origin }: ImportContext,
  tx: Database,
  { ids, reason }: NamingRequest,
): Promise<void> {
  const now = context.clock.now();
  // Two imports at once write in the same order.
  const all = [...new Set(ids.filter((id) => id !== null))].toSorted();
  const rows = all.map((account_id) => ({ account_id, updated_at: now }));
  const added = await addRows(tx, { table: 'accounts', column: 'account_id' }, rows);
  const named = { at: now, ...origin, action: 'account_named', reason };
  await recordEvents(
    context,
    tx,
    added.map((accountId) => ({ ...named, accountId })),
  );
}
