import { newLegacyCode } from '../../shared/ids.ts';
import { LEGACY_CODE_LIFETIME } from '../../shared/lifetimes.ts';
import { insertCode } from '../../store/authorization/legacy-codes.ts';
import type { LegacyRequest } from '../../store/tables/tables.ts';
import { type ConsentedPair, readConsentingAccount } from '../grants/consenting-account.ts';
import type { AuthorizationDeps } from './deps.ts';
import { noteFinished } from '../grants/unfinished-consent.ts';
import { storeGrant } from '../grants/store-grant.ts';

/**
 * Ends a consent that an old app asked for: reads the account, stores the grant, and only then makes the 30-second
 * code. So the exchange at the new API takes nothing of the code's life (docs/old-api.md Q19). Undefined where the app was
 * deauthorized for the account after the consent.
 * @throws {Unauthorized | Forbidden | Unavailable} nothing was stored
 */
export async function completeAuthorization(
  context: AuthorizationDeps,
  request: LegacyRequest,
  consented: ConsentedPair,
): Promise<string | undefined> {
  const account = await readConsentingAccount(context, consented);
  const origin = { actor: `account:${account.id}`, requestId: consented.calling?.requestId ?? request.id };
  const grantId = await storeGrant(context, { ...consented, clientId: request.client_id, account, origin });
  if (grantId === undefined) return undefined;
  const code = newLegacyCode();
  const now = context.clock.now();
  const row = {
    code_digest: context.vault.digest(code),
    client_id: request.client_id,
    redirect_uri: request.redirect_uri,
    redirect_uri_given: request.redirect_uri_given,
    account_id: account.id,
    grant_id: grantId,
    created_at: now,
    expires_at: now + LEGACY_CODE_LIFETIME,
  };
  await context.store.transaction(async (tx) => {
    await insertCode(tx, row);
    await noteFinished(tx, grantId);
  });
  return code;
}
