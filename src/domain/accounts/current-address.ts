import { normalEmail } from '../../shared/mail/address.ts';
import { findAddressOf } from '../../store/accounts/accounts.ts';
import type { AccountsDeps } from './deps.ts';

/**
 * Whether an account still has the address of its session, which is as old as the sign-in. The new API tells of another one at
 * the next sign-in in any browser, and at a consent.
 */
export async function stillHasAddress(
  { store }: Pick<AccountsDeps, 'store'>,
  { accountId, email }: { accountId: string; email: string },
): Promise<boolean> {
  const address = await findAddressOf(store.durable, accountId);
  return normalEmail(address ?? '') === normalEmail(email);
}
