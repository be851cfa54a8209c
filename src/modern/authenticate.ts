import { isApiKeyLike } from './api-key.ts';
import type { CallerAuthenticator, ApiCaller } from './main-api/authentication.ts';
import type { Provider } from './provider/oidc.ts';
import { scopes } from './scopes.ts';
import type { ModernStore } from './store/store.ts';

/** A key has all scopes of its owner but `offline_access`: a key has no refresh token. */
const KEY_SCOPES = scopes.filter((scope) => scope !== 'offline_access');

function findKey(store: ModernStore, token: string): ApiCaller | null {
  const key = store.apiKeys.find(token);
  return key ? { accountId: key.accountId, scopes: KEY_SCOPES, client: `key:${key.id}` } : null;
}

/**
 * Finds the caller of the main API by the bearer token: an API key, or an access token of the authorization server,
 * which is looked up in process. Null for an unknown, expired, deleted or revoked token.
 */
export function authenticateWith(provider: Provider, store: ModernStore): CallerAuthenticator {
  return async (token) => {
    if (isApiKeyLike(token)) return findKey(store, token);
    const found = await provider.AccessToken.find(token);
    if (!found?.clientId) return null;
    store.appUses.touch(found.accountId, found.clientId);
    return { accountId: found.accountId, scopes: [...found.scopes], client: `app:${found.clientId}` };
  };
}
