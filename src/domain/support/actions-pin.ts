import { readNamed } from '../../store/action-target.ts';
import { accountsWithEmail } from '../../store/staff.ts';
import type { Context, Origin } from '../context.ts';
import { pinAccount, type Pinned } from '../pin-account.ts';
import { checkedReason } from '../revoke-token.ts';
import { mappingTarget } from './actions.ts';

/** What waits under the address of a token becomes an account's, by support. */

interface Asked extends Origin {
  mappingId: string;
  accountId: string;
  reason: string;
}

type PinnedByStaff = { outcome: 'unknown account' | 'nothing waits' } | { outcome: 'pinned'; pinned: Pinned };

/** The accounts that the modern side said to have this address (in lower case), with their names. */
export async function accountsUnder(
  { store }: Context,
  email: string,
): Promise<Array<{ accountId: string; name: string | undefined }>> {
  const ids = await accountsWithEmail(store.durable, email);
  const rows = await Promise.all(ids.map((id) => readNamed(store.durable, id)));
  return rows.flatMap((row) => (row ? [{ accountId: row.account_id, name: row.name ?? undefined }] : []));
}

/**
 * Pins all that waits under the token's address, once and for all, to an account that was met here: what is mistyped is
 * nobody's.
 * @throws {ReasonRefused}
 */
export async function pinByStaff(context: Context, asked: Asked): Promise<PinnedByStaff> {
  const { mappingId, accountId, ...origin } = asked;
  const how = checkedReason(asked.reason);
  const target = await mappingTarget(context, mappingId);
  if (!target || target.isOver || target.waitsUnder === null) return { outcome: 'nothing waits' };
  if (!(await readNamed(context.store.durable, accountId))) return { outcome: 'unknown account' };
  const { actor, requestId } = origin;
  const pinned = await pinAccount(context, { email: target.waitsUnder, accountId, how, actor, requestId });
  const { tokens, apps, ids } = pinned;
  return tokens + apps + ids === 0 ? { outcome: 'nothing waits' } : { outcome: 'pinned', pinned };
}
