import { WRITE_ABANDONED, WRITE_LOOKED_FOR } from '../../shared/lifetimes.ts';
import { countOpenWrites } from '../../store/posts/open-writes.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Context } from '../context.ts';

/**
 * Posts that were sent by an app's own client and whose outcome is not known yet. While there are some, neither the client
 * nor a pair of it goes out of the bridge's hands, which looks for them. Most are known within ten minutes; after a day the
 * bridge looks no more, and they hold up nothing.
 */
export function openWritesBy(
  { clock }: Context,
  db: Database,
  whose: { modernClientId: string; accountId?: string },
): Promise<{ underWay: number; inDoubt: number }> {
  const now = clock.now();
  const times = { since: now - WRITE_LOOKED_FOR, underWaySince: now - WRITE_ABANDONED };
  return countOpenWrites(db, { ...whose, ...times });
}
