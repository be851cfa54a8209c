import { ACCOUNT_ID_WORDS, readAccountId } from '../../../domain/accounts/account-id.ts';
import { reauthorizationLink } from '../../../domain/authorization/reauthorize.ts';
import { findRegisteredApp } from '../../../domain/apps/register-app.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

/**
 * `links make`: the link that asks an account holder to connect an app again. An app and account always give the same
 * link.
 */
export async function makeLinkCommand(options: Record<string, unknown>): Promise<Result> {
  const clientId = String(options['app']);
  return withContext(async ({ context }) => {
    const accountId = await readAccountId(context.store.durable, String(options['account']));
    if (accountId === undefined) throw new Error(`account: must be ${ACCOUNT_ID_WORDS}`);
    const app = await findRegisteredApp(context, clientId);
    if (!app) throw new Error(`no app is registered with the client id ${clientId}`);
    const link = await reauthorizationLink(context, { clientId, accountId });
    const json = { client_id: clientId, account_id: accountId, link };
    return { ok: true, lines: [link, 'The link works only after a sign-in to this account.'], json };
  });
}
