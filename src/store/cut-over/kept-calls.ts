import type { Insertable } from 'kysely';
import type { Store } from '../driver/store.ts';
import type { CutOverTables } from '../tables/cut-over.ts';

/** The last count of the calls that have yet to move to the new API: one text for each client of the new API. */

export type MovingCallsRow = Insertable<CutOverTables['moving_calls']>;

/** Every text. */
export async function readKeptCalls({ volatile }: Pick<Store, 'volatile'>): Promise<MovingCallsRow[]> {
  return volatile.selectFrom('moving_calls').selectAll().orderBy('modern_client_id').execute();
}

/** Keeps the text of one client, replacing the earlier text. */
export async function keepCalls({ volatile }: Pick<Store, 'volatile'>, row: MovingCallsRow): Promise<void> {
  await volatile
    .insertInto('moving_calls')
    .values(row)
    .onConflict((conflict) => conflict.column('modern_client_id').doUpdateSet(row))
    .execute();
}

/** Forgets the clients that were not counted again. */
export async function forgetCallsBefore(
  { volatile }: Pick<Store, 'volatile'>,
  countedAt: number,
): Promise<void> {
  await volatile.deleteFrom('moving_calls').where('counted_at', '<', countedAt).execute();
}
