import { normalEmail } from '../../shared/mail/address.ts';
import { accountsWith } from '../../store/support/support-search.ts';
import type { Context, Origin } from '../context.ts';
import { pinAccountIn } from '../accounts/pin-account.ts';
import { checkedReason } from '../history/reason.ts';
import { readMappingTarget } from './actions.ts';

/** What waits under the address of a token becomes an account's, by support. */

interface Asked extends Origin {
  mappingId: string;
  accountId: string;
  /** The address that was shown to whoever decided. */
  email: string;
  reason: string;
}

interface PinnedByStaff {
  outcome: 'unknown account' | 'nothing waits' | 'pinned';
}

/** The accounts that the modern side said to have this address (in lower case), with their names. */
export async function accountsUnder(
  { store }: Context,
  email: string,
): Promise<Array<{ accountId: string; name: string | undefined }>> {
  const rows = await accountsWith(store.durable, { email });
  return rows.map(({ account_id: accountId, name }) => ({ accountId, name: name ?? undefined }));
}

/**
 * Pins all that waits under an address, once and for all, to an account that was met here: what is mistyped is nobody's.
 * Nothing is pinned where the token does not wait under that address any more: nobody has decided about another.
 * @throws {ReasonRefused}
 */
export async function pinByStaff(context: Context, asked: Asked): Promise<PinnedByStaff> {
  const { mappingId, accountId, actor, requestId } = asked;
  const how = checkedReason(asked.reason);
  const email = normalEmail(asked.email);
  return context.store.transaction(async (tx) => {
    const target = await readMappingTarget(tx, mappingId);
    if (!target || target.isOver || target.waitsUnder !== email) return { outcome: 'nothing waits' };
    const [account] = await accountsWith(tx, { id: accountId });
    if (!account) return { outcome: 'unknown account' };
    const { tokens, apps, ids } = await pinAccountIn(context, tx, {
      email,
      accountId,
      how,
      actor,
      requestId,
    });
    return { outcome: tokens + apps + ids === 0 ? 'nothing waits' : 'pinned' };
  });
}
