/**
 * The authorization server (docs/embedded-new-api.md): oidc-provider with our configuration. This folder owns /auth,
 * /token and the paths below. The pages for people are in interactions/, storage is in store/.
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
import type { ProviderBrakes } from './provider-brakes.ts';
import { guardEndpoints } from './provider-endpoints.ts';
import { grantForSignIn, type RememberedConsents } from './remembered-consent.ts';
import { applyRules, checkCodeChallenge, checkRequestedScopes } from './provider-rules.ts';
import { scopes } from '../scopes.ts';
import type { ModernStore } from '../store/store.ts';

type ErrorRenderer = NonNullable<Configuration['renderError']>;

export interface ProviderDeps {
  store: ModernStore;
  issuer: string;
  accessTokenSeconds: number;
  /** Apps of the operator whose sign-ins are not asked for again. */
  signInClients: ReadonlySet<string>;
  renderError: ErrorRenderer;
  /** The page for an address that begins too many authorization requests. */
  renderSlowDown: () => string;
  brakes: ProviderBrakes;
}

/** Paths that belong to the provider. `/auth/:uid` resumes an authorization request after its pages. */
const PATHS =
  /^\/(?:auth(?:\/[\w-]+)?|token(?:\/revocation|\/introspection)?|jwks|\.well-known\/(?:openid-configuration|oauth-authorization-server))$/;

export const isAuthorizationServerPath = (path: string): boolean => PATHS.test(path);

const features: Configuration['features'] = {
  devInteractions: { enabled: false },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  // The new API has no parameter `resource`, and ignores unknown parameters (RFC 6749 §3.1).
  resourceIndicators: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  userinfo: { enabled: false },
  revocation: {
    enabled: true,
    // RFC 7009 §2.1: the app gets an error. Without this policy the provider would answer 200 and do nothing.
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
 * Each consent makes a new grant. No older grant is loaded. Without a grant of the current authorization request the
 * consent page is shown, unless the request is a sign-in that was allowed before.
 */
const loadOwnGrant = (remembered: RememberedConsents) => async (ctx: KoaContextWithOIDC) => {
  const grantId = ctx.oidc.result?.consent?.grantId;
  if (grantId !== undefined) return ctx.oidc.provider.Grant.find(grantId);
  return grantForSignIn(ctx, remembered);
};

function configuration({
  store,
  accessTokenSeconds,
  signInClients,
  renderError,
}: ProviderDeps): Configuration {
  return {
    adapter: store.adapter,
    // Cookies ignore the port. On localhost these names must differ from the cookie names of the bridge.
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
    // The new API always requires redirect_uri, also from an app that registered only one address.
    allowOmittingSingleRegisteredRedirectUri: false,
    extraParams: { scope: checkRequestedScopes, code_challenge: checkCodeChallenge },
    ttl: lifetimes(accessTokenSeconds),
    // With the default tolerance, tokens live fifteen seconds longer than expires_in says.
    clockTolerance: 0,
    rotateRefreshToken: true,
    // Otherwise tokens without offline_access die at the next consent in the same browser session.
    expiresWithSession: () => false,
    loadExistingGrant: loadOwnGrant({ connectedApps: store.connectedApps, signInClients }),
    revokeGrantPolicy: () => true,
    findAccount: async (_ctx, accountId) =>
      store.accounts.find(accountId) && { accountId, claims: async () => ({ sub: accountId }) },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    features,
    renderError,
  };
}

export function createModernAuthorizationServer(parts: ProviderDeps): Provider {
  const provider = new Provider(parts.issuer, configuration(parts));
  guardEndpoints(provider, parts);
  applyRules(provider, parts.store, parts.brakes.secrets);
  return provider;
}
