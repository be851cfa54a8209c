import type { Database } from './store.ts';
import type { Grant } from './tables.ts';

/** Erases the pairs that were handed over before the given time and never confirmed by their app; answers whose. */
export async function eraseUnconfirmedBefore(
  tx: Database,
  time: number,
): Promise<Array<Pick<Grant, 'id' | 'client_id' | 'account_id'>>> {
  return tx
    .updateTable('grants')
    .set({ access_token_sealed: null, refresh_token_sealed: null })
    .where('state', '=', 'dead')
    .where('dead_at', '<', time)
    .where('refresh_token_sealed', 'is not', null)
    .where('id', 'in', (eb) =>
      eb.selectFrom('handovers').select('grant_id').where('confirmed_at', 'is', null),
    )
    .returning(['id', 'client_id', 'account_id'])
    .execute();
}
