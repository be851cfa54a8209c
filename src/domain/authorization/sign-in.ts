import type { Database } from '../../store/driver/store.ts';
import type { ModernAccount } from '../../upstream/main-api.ts';
import { type ConsentedPair, keepAccount, readConsentingAccount } from '../grants/consenting-account.ts';
import type { AuthorizationDeps } from './deps.ts';
import { pinAccountIn } from '../accounts/pin-account.ts';
import { recordEvents } from '../history/record-event.ts';

/** The person of a session, as the new API named them. */
export interface ProvenPerson {
  accountId: string;
  email: string;
  name: string;
}

/**
 * Keeps the account of a person whom a consent has just proven. The account is stored, so that the operator can name
 * staff by e-mail later. Where the new API verifies e-mail addresses, everything that waits under this address now
 * belongs to the account.
 */
export async function keepSignedIn(
  context: AuthorizationDeps,
  account: ModernAccount,
  requestId: string,
): Promise<ProvenPerson> {
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

/**
 * Ends a sign-in: returns the person's account. The access token was only for this question and is not stored
 * (docs/decisions/0018).
 * @throws {Unauthorized | Forbidden | Unavailable} nobody is signed in
 */
export async function completeSignIn(
  context: AuthorizationDeps,
  consented: ConsentedPair,
  requestId: string,
): Promise<ProvenPerson> {
  return keepSignedIn(context, await readConsentingAccount(context, consented), requestId);
}
