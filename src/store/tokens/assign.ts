import type { Database } from '../driver/store.ts';
import type { Mapping, MappingState } from '../tables/tables.ts';
import { changedAt } from './changed-at.ts';

interface Assignment {
  clientId: string;
  state: MappingState;
  reason: string | null;
  grantId: string | null;
  now: number;
}

/** Moves a token to another app, if app and state are still as read; returns whether it moved. */
export async function assignToApp(
  tx: Database,
  { id, client_id, state }: Pick<Mapping, 'id' | 'client_id' | 'state'>,
  to: Assignment,
): Promise<boolean> {
  const moved = await tx
    .updateTable('mappings')
    .set({
      client_id: to.clientId,
      state: to.state,
      reason: to.reason,
      grant_id: to.grantId,
      app_proven: 1,
      updated_at: to.state === state ? changedAt(to.now) : to.now,
    })
    .where('id', '=', id)
    .where('client_id', '=', client_id)
    .where('state', '=', state)
    .executeTakeFirst();
  return moved.numUpdatedRows === 1n;
}
