import type { Database } from '../../store/driver/store.ts';
import { type ConsentedPair, keepAccount, readConsentingAccount } from '../grants/consenting-account.ts';
import type { AuthorizationDeps } from './deps.ts';
import { pinAccountIn } from '../accounts/pin-account.ts';
import { recordEvents } from '../history/record-event.ts';

/**
 * Ends a sign-in: returns the person's account. The account is stored, so that the operator can name staff by e-mail
 * later. The access token was only for this question and is not stored (docs/decisions/0018). Where the new API
 * verifies e-mail addresses, everything that waits under this address now belongs to the account.
 * @throws {Unauthorized | Forbidden | Unavailable} nobody is signed in
 */
export async function completeSignIn(
  context: AuthorizationDeps,
  consented: ConsentedPair,
  requestId: string,
): Promise<{ accountId: string; email: string; name: string }> {
  const account = await readConsentingAccount(context, consented);
  const origin = { actor: `account:${account.id}`, requestId };
  await context.store.transaction(async (tx: Database) => {
    const at = context.clock.now();
    await recordEvents(context, tx, await keepAccount(tx, account, { at, ...origin }));
    if (!context.settings.trustModernEmails || account.email.trim() === '') return;
    const how = 'the new API verifies e-mail addresses';
    await pinAccountIn(context, tx, { email: account.email, accountId: account.id, how, ...origin });
  });
  return { accountId: account.id, email: account.email, name: account.name ?? account.email };
}
