import type { Database } from '../driver/store.ts';
import { OPEN } from './write-journal.ts';

/** Writes without an outcome, by their client of the new API. */

interface WriteOwner {
  modernClientId: string;
  /** Restricts the count to this account. */
  accountId?: string;
  /** The bridge looks for no write that is older. */
  since: number;
  /**
   * A write that was sent after this time counts as under way. An older write has lost its process and is in doubt.
   */
  underWaySince: number;
}

/**
 * How many writes are under way, and how many are in doubt and looked for. A doubt that is no longer looked for stays
 * for good.
 */
export async function countOpenWrites(
  db: Database,
  { modernClientId, accountId, since, underWaySince }: WriteOwner,
): Promise<{ underWay: number; inDoubt: number }> {
  const rows = await db
    .selectFrom('post_writes')
    .select(['state', 'sent_at'])
    .where('modern_client_id', '=', modernClientId)
    .where('sent_at', '>', since)
    .where('state', 'in', OPEN)
    .where((eb) => eb.or([eb('state', '=', 'sending'), eb('next_look_at', 'is not', null)]))
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .execute();
  const underWay = rows.filter((row) => row.state === 'sending' && row.sent_at > underWaySince).length;
  return { underWay, inDoubt: rows.length - underWay };
}
