import { isRested } from './presentations.ts';
import type { Database } from '../driver/store.ts';
import type { GrantVersion } from '../tables/tables.ts';

/**
 * Lets a grant that is in doubt at this version or an earlier one rest until the given time, for the processes of all
 * machines. It is no attempt, so none is counted, and a longer rest stays.
 */
export async function holdInDoubt(db: Database, { id, version }: GrantVersion, until: number): Promise<void> {
  await db
    .updateTable('grants')
    .set({ retry_at: until })
    .where('id', '=', id)
    .where('version', '<=', version)
    .where('state', '=', 'in_doubt')
    .where(isRested(until))
    .execute();
}
