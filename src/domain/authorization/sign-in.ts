import type { Database } from '../../store/driver/store.ts';
import { type Consented, keepAccount, readConsentingAccount } from '../grants/consenting-account.ts';
import type { Context } from '../context.ts';
import { pinAccountIn } from '../accounts/pin-account.ts';
import { recordEvents } from '../history/record-event.ts';

/**
 * Ends a sign-in: says who is there. The account is kept, so that staff can be named by its e-mail later; the token was
 * good for this one question and is stored nowhere (docs/decisions/0018). Where the modern side verifies e-mail
 * addresses, what waits under this one is the account's from now on.
 * @throws {Unauthorized | Forbidden | Unavailable} nobody is signed in
 */
export async function completeSignIn(
  context: Context,
  consented: Consented,
  requestId: string,
): Promise<{ accountId: string; email: string; name: string }> {
  const account = await readConsentingAccount(context, consented);
  const origin = { actor: `account:${account.id}`, requestId };
  await context.store.transaction(async (tx: Database) => {
    const at = context.clock.now();
    await recordEvents(context, tx, await keepAccount(tx, account, { at, ...origin }));
    if (!context.settings.trustModernEmails || account.email.trim() === '') return;
    const how = 'the modern side verifies e-mail addresses';
    await pinAccountIn(context, tx, { email: account.email, accountId: account.id, how, ...origin });
  });
  return { accountId: account.id, email: account.email, name: account.name ?? account.email };
}
