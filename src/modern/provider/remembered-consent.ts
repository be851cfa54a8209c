import type { ConnectedApps } from '../store/clients/connected-apps.ts';
import type { KoaContextWithOIDC } from './oidc.ts';

/**
 * Real providers do not ask again who may know who is signed in. Here this holds for the apps alone that the settings
 * name, for the one scope of a sign-in, and while a consent of the account for the app lives. Any other consent is never
 * silent.
 */
export interface RememberedConsents {
  connectedApps: ConnectedApps;
  /** Apps of the operator. Nobody can register one: they authenticate at /token, so nobody else can use their codes. */
  signInClients: ReadonlySet<string>;
}

const SIGN_IN = 'account:read';

/** The account and app of a request that needs no page. The request may not ask for a page, nor forbid all of them. */
function silentPair({ oidc }: KoaContextWithOIDC, { signInClients }: RememberedConsents) {
  const { client, session, params, prompts } = oidc;
  const accountId = session?.accountId;
  if (!client || accountId === undefined || !signInClients.has(client.clientId)) return undefined;
  const asks = ['consent', 'none', 'select_account'].some((prompt) => prompts.has(prompt));
  if (asks || oidc.promptPending('login') || params?.['scope'] !== SIGN_IN) return undefined;
  return { accountId, clientId: client.clientId };
}

/**
 * A new grant for a sign-in that was allowed before; undefined where the person has to be asked. The older grant is not
 * used: whoever replays the code of this request would end it (RFC 6749 §4.1.2).
 */
export async function grantForSignIn(ctx: KoaContextWithOIDC, remembered: RememberedConsents) {
  const pair = silentPair(ctx, remembered);
  if (!pair) return undefined;
  const known = remembered.connectedApps
    .ofAccount(pair.accountId)
    .find(({ clientId }) => clientId === pair.clientId);
  if (!known?.scopes.includes(SIGN_IN)) return undefined;
  const grant = new ctx.oidc.provider.Grant(pair);
  grant.addOIDCScope(SIGN_IN);
  await grant.save();
  return grant;
}
