import { findLiveGrant } from '../../store/grants/grants.ts';
import { wasDeauthorized } from '../../store/history/entries-of-pair.ts';
import type { AppAccount } from '../../store/tokens/mappings.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Grant } from '../../store/tables/tables.ts';
import type { GrantsDeps } from './deps.ts';

/**
 * Which consent of an app and account counts. A consent may be stored seconds or hours after its pair was asked for, while
 * the account is read or the database cannot be written. So the moment at which the request for the pair left says which
 * consent came later. Each moment is of the machine that sent the request: within the difference of two clocks the order is
 * not known.
 */

/** A grant of an earlier version does not say when its consent was sent. */
const consentedAt = ({ consented_at: sent, created_at: stored }: Grant): number => sent ?? stored;

/**
 * What came after a consent that is stored now: `ended` if somebody deauthorized the app for the account since, else the
 * live grant of a later consent. A time after the present one comes from a wrong clock, and does not count.
 */
export async function laterThan(
  context: GrantsDeps,
  tx: Database,
  { sentAt, ...pair }: AppAccount & { sentAt: number },
): Promise<'ended' | Grant | undefined> {
  const now = context.clock.now();
  if (await wasDeauthorized(tx, pair, { after: sentAt, until: now })) return 'ended';
  const live = await findLiveGrant(tx, pair.clientId, pair.accountId);
  if (!live) return undefined;
  const since = consentedAt(live);
  return since > sentAt && since <= now ? live : undefined;
}
