import type { Database } from '../driver/store.ts';
import { OPEN } from './write-journal.ts';

/** Writes whose outcome is still to come, by the client of the new API that they were sent with. */

interface Whose {
  modernClientId: string;
  /** Of this account alone. */
  accountId?: string;
  /** Older ones are not looked for any more, whatever their rows say. */
  since: number;
  /** A write counts as under way if it was sent after this; what is older has no process any more and is in doubt. */
  underWaySince: number;
}

/** How many are under way, and how many are in doubt and looked for. A doubt that nobody looks for any more stays for good. */
export async function countOpenWrites(
  db: Database,
  { modernClientId, accountId, since, underWaySince }: Whose,
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
