import { stillHasAddress } from '../../../domain/accounts/current-address.ts';
import { isSharedUnproven } from '../../../domain/apps/app-access.ts';
import { waitingUnder } from '../../../domain/tokens/tokens-of-account.ts';
import type { OwnersDeps } from '../deps.ts';

/**
 * Whether anything waits until a person proves the own e-mail address: tokens, apps, or apps that are shared. Under an
 * address that the account does not have any more nothing waits for it.
 */
export async function isUnproven(
  context: OwnersDeps,
  person: { accountId: string; email: string },
): Promise<boolean> {
  const { email } = person;
  if (!(await stillHasAddress(context, person))) return false;
  const [{ tokens, apps }, isShared] = await Promise.all([
    waitingUnder(context, email),
    isSharedUnproven(context, email),
  ]);
  return tokens + apps > 0 || isShared;
}
