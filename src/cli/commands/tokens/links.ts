import { ACCOUNT_ID_WORDS, readAccountId } from '../../../domain/accounts/account-id.ts';
import { reauthorizationLink } from '../../../domain/authorization/reauthorize.ts';
import { findRegisteredApp } from '../../../domain/apps/register-app.ts';
import type { TokensDeps } from '../../../domain/tokens/deps.ts';
import { listableCount, waitsUnlisted } from '../../../domain/tokens/listable-tokens.ts';
import type { AppAccount } from '../../../store/tokens/mappings.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

/** A link may be made before its account or token comes. A mistake in an id looks the same. */
const NOTHING_WAITS =
  'No token of this app is known to wait for this account: check both ids. One that waits for the e-mail address of the account is known once its holder has signed in.';

async function waitsForAccount(context: TokensDeps, pair: AppAccount): Promise<boolean> {
  return (await waitsUnlisted(context, pair)) || (await listableCount(context, pair)).all > 0;
}

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
    const isAwaited = await waitsForAccount(context, { clientId, accountId });
    const lines = [link, 'The link works only after a sign-in to this account.'];
    const json = { client_id: clientId, account_id: accountId, link, tokens_wait: isAwaited };
    return { ok: true, lines: isAwaited ? lines : [...lines, NOTHING_WAITS], json };
  });
}
