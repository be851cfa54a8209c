import { normalEmail } from '../../../shared/mail/address.ts';
import { accountsWith } from '../../../store/support/support-search.ts';
import type { Origin } from '../../origin.ts';
import type { SupportDeps } from '../deps.ts';
import { isKnownAccount, readAccountId } from '../../accounts/account-id.ts';
import { pinByHandIn } from '../../accounts/pin-by-hand.ts';
import { checkedReason } from '../../history/reason.ts';
import { isPinLeft } from '../../tokens/left-to-staff.ts';
import { readMappingTarget } from './actions.ts';

/** Support pins to an account everything that waits under the address of a token. */

interface StaffPinRequest extends Origin {
  mappingId: string;
  accountId: string;
  /** The address that the page showed to the deciding member of the staff. */
  email: string;
  reason: string;
}

/** `hasMoved`: tokens ended as moved, because their app has taken over the connection of the account. */
type StaffPinResult =
  | { outcome: 'unknown account' | 'nothing waits' | 'left to staff' }
  | { outcome: 'pinned'; hasMoved: boolean };

/** The accounts that have this address (in lower case) at the new API, with their names. */
export async function accountsUnder(
  { store }: SupportDeps,
  email: string,
): Promise<Array<{ accountId: string; name: string | undefined }>> {
  const rows = await accountsWith(store.durable, { email });
  return rows.map(({ account_id: accountId, name }) => ({ accountId, name: name ?? undefined }));
}

/**
 * Pins everything that waits under an address to an account. The account must be known here, so a mistyped
 * account id pins nothing. The token must still wait under the shown address: the member of the staff decided about no
 * other address.
 * @throws {ReasonRefused}
 */
export async function pinByStaff(context: SupportDeps, asked: StaffPinRequest): Promise<StaffPinResult> {
  const { mappingId, actor, requestId } = asked;
  const how = checkedReason(asked.reason);
  const email = normalEmail(asked.email);
  return context.store.transaction(async (tx) => {
    const target = await readMappingTarget(tx, mappingId);
    if (!target || target.isOver || target.waitsUnder !== email) return { outcome: 'nothing waits' };
    const accountId = await readAccountId(tx, asked.accountId);
    if (accountId === undefined || !(await isKnownAccount(tx, accountId)))
      return { outcome: 'unknown account' };
    if (await isPinLeft(tx, actor, { email, accountId })) return { outcome: 'left to staff' };
    const { tokens, apps, ids, hasMoved } = await pinByHandIn(context, tx, {
      email,
      accountId,
      how,
      actor,
      requestId,
    });
    return tokens + apps + ids === 0 ? { outcome: 'nothing waits' } : { outcome: 'pinned', hasMoved };
  });
}
