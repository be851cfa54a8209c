import { isSharedUnproven } from '../../../domain/apps/app-access.ts';
import { waitingUnder } from '../../../domain/tokens/tokens-of-account.ts';
import type { OwnersDeps } from '../deps.ts';

/** Whether anything waits until a person proves the own e-mail address: tokens, apps, or apps that are shared. */
export async function isUnproven(context: OwnersDeps, email: string): Promise<boolean> {
  const [{ tokens, apps }, isShared] = await Promise.all([
    waitingUnder(context, email),
    isSharedUnproven(context, email),
  ]);
  return tokens + apps > 0 || isShared;
}
