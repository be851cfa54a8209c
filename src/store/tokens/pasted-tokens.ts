import type { Database } from '../driver/store.ts';
import type { MappingState } from '../tables/tables.ts';
import { changedAt } from './changed-at.ts';

interface TokenAccount {
  mappingId: string;
  accountId: string;
  /** The states in which the token may be given. */
  states: readonly MappingState[];
  now: number;
}

/** Gives a waiting token without a holder its account; false when the token has got a holder or has ended meanwhile. */
export async function giveAccount(
  tx: Database,
  { mappingId, accountId, states, now }: TokenAccount,
): Promise<boolean> {
  const given = await tx
    .updateTable('mappings')
    .set({ account_id: accountId, updated_at: changedAt(now) })
    .where('id', '=', mappingId)
    .where('account_id', 'is', null)
    .where('account_email', 'is', null)
    .where('state', 'in', states)
    .executeTakeFirst();
  return given.numUpdatedRows === 1n;
}
