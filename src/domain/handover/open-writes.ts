import { WRITE_ABANDONED, WRITE_LOOKED_FOR } from '../../shared/lifetimes.ts';
import { countOpenWrites } from '../../store/posts/open-writes.ts';
import type { Database } from '../../store/driver/store.ts';
import type { HandoverDeps } from './deps.ts';

/**
 * Writes by an app's own client without an outcome. The bridge needs client and token pair to look for the posts: it
 * hands over no pair of an account with an open write, and leaves no client with a write in doubt. Most outcomes are
 * known within ten minutes. After a day the bridge stops looking, and the write holds up nothing.
 */
export function openWritesBy(
  { clock }: HandoverDeps,
  db: Database,
  whose: { modernClientId: string; accountId?: string },
): Promise<{ underWay: number; inDoubt: number }> {
  const now = clock.now();
  const times = { since: now - WRITE_LOOKED_FOR, underWaySince: now - WRITE_ABANDONED };
  return countOpenWrites(db, { ...whose, ...times });
}
