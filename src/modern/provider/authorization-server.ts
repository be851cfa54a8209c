/**
 * The authorization server (docs/embedded-new-api.md): oidc-provider, configured. It owns /auth, /token and what
 * hangs below them; the pages a person sees are in interactions/, storage is in store/.
 */
import { errors, Provider } from './oidc.ts';
import type { Configuration, KoaContextWithOIDC } from './oidc.ts';
import {
  AUTHORIZATION_CODE_SECONDS,
  GRANT_SECONDS,
  INTERACTION_SECONDS,
  REFRESH_TOKEN_SECONDS,
  SESSION_SECONDS,
} from '../lifetimes.ts';
import { guardEndpoints } from './provider-endpoints.ts';
import { applyRules, checkCodeChallenge, checkRequestedScopes } from './provider-rules.ts';
import { scopes } from '../scopes.ts';
import type { SecretBrake } from '../secret-brake.ts';
import type { Store } from '../store/store.ts';

type RenderError = NonNullable<Configuration['renderError']>;

export interface AuthorizationServerParts {
  store: Store;
  issuer: string;
  accessTokenSeconds: number;
  renderError: RenderError;
  brake: SecretBrake;
}

/** Paths that belong to the provider; `/auth/:uid` resumes an authorization request after its pages. */
const PATHS =
  /^\/(?:auth(?:\/[\w-]+)?|token(?:\/revocation|\/introspection)?|jwks|\.well-known\/(?:openid-configuration|oauth-authorization-server))$/;

export const isAuthorizationServerPath = (path: string): boolean => PATHS.test(path);

const features: Configuration['features'] = {
  devInteractions: { enabled: false },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  // `resource` is no parameter of the new API and is ignored like any other unknown one (RFC 6749 §3.1).
  resourceIndicators: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  userinfo: { enabled: false },
  revocation: {
    enabled: true,
    // RFC 7009 §2.1: refused and said so; the provider would answer 200 and do nothing.
    async allowedPolicy(_ctx, client, token) {
      if (token.clientId !== client.clientId) throw new errors.InvalidGrant('token of another app');
      return true;
    },
  },
  introspection: {
    enabled: true,
    allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
  },
};

function lifetimes(accessTokenSeconds: number): NonNullable<Configuration['ttl']> {
  return {
    AccessToken: accessTokenSeconds,
    AuthorizationCode: AUTHORIZATION_CODE_SECONDS,
    Grant: GRANT_SECONDS,
    Interaction: INTERACTION_SECONDS,
    RefreshToken: REFRESH_TOKEN_SECONDS,
    Session: SESSION_SECONDS,
  };
}

/**
 * A consent makes a grant of its own: only the grant that this very request made is ever loaded. Since none is loaded
 * before, the consent page is always shown.
 */
async function loadOwnGrant(ctx: KoaContextWithOIDC) {
  const grantId = ctx.oidc.result?.consent?.grantId;
  return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
}

function configuration({ store, accessTokenSeconds, renderError }: AuthorizationServerParts): Configuration {
  return {
    adapter: store.adapter,
    // Cookies do not know ports: on localhost these must not meet the bridge's.
    cookies: {
      keys: store.keys.cookieKeys,
      names: { session: 'modern_session', interaction: 'modern_interaction', resume: 'modern_resume' },
    },
    jwks: store.keys.jwks,
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clientAuthMethods: ['none', 'client_secret_post', 'client_secret_basic'],
    scopes,
    claims: {},
    responseTypes: ['code'],
    pkce: { required: () => true },
    // The new API demands redirect_uri without an exception for apps that registered only one.
    allowOmittingSingleRegisteredRedirectUri: false,
    extraParams: { scope: checkRequestedScopes, code_challenge: checkCodeChallenge },
    ttl: lifetimes(accessTokenSeconds),
    // The default lets tokens live fifteen seconds longer than expires_in says.
    clockTolerance: 0,
    rotateRefreshToken: true,
    // Otherwise tokens without offline_access die as soon as the same browser session consents once more.
    expiresWithSession: () => false,
    loadExistingGrant: loadOwnGrant,
    revokeGrantPolicy: () => true,
    findAccount: async (_ctx, accountId) =>
      store.accounts.find(accountId) && { accountId, claims: async () => ({ sub: accountId }) },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    features,
    renderError,
  };
}

export function createAuthorizationServer(parts: AuthorizationServerParts): Provider {
  const provider = new Provider(parts.issuer, configuration(parts));
  guardEndpoints(provider, parts.brake);
  applyRules(provider, parts.store, parts.brake);
  return provider;
}
