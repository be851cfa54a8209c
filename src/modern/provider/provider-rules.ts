/**
 * Rules of the new API (test/modern/README.md) for which oidc-provider has no setting. Some rules replace a method of a
 * class of the provider. The version of the provider is therefore pinned, and test/modern/ walks every rule over HTTP.
 */
import { errors } from './oidc.ts';
import type { KoaContextWithOIDC, Provider } from './oidc.ts';
import { isScope } from '../scopes.ts';
import { type ClientSecretLimiter, TOO_MANY } from '../secret-brake.ts';
import type { Clients } from '../store/clients/clients.ts';
import type { OidcRecords } from '../store/oidc-records.ts';
import type { ModernStore } from '../store/store.ts';

interface RequestContext {
  ctx: KoaContextWithOIDC;
  /** The provider's name of the endpoint. */
  route: string;
  params?: Record<string, unknown>;
  body?: Record<string, unknown>;
  client?: { clientId: string; clientAuthMethod: string; redirectUris: string[] };
  entity(key: string, value: unknown): void;
  urlFor(name: string, options?: Record<string, unknown>): string;
}

interface ClientModel {
  clientSecret: string;
  compareClientSecret(actual: string): boolean;
}

/**
 * The new API: a public client must not send client_secret, and code_verifier is required. The provider reads an empty
 * secret as absent and calls a missing verifier a wrong verifier. This rule therefore checks the raw body.
 */
function checkTokenRequest({ body = {} }: RequestContext): void {
  if (body['client_secret'] === '') throw new errors.InvalidClientAuth('client_secret is empty');
  if (body['grant_type'] === 'authorization_code' && !body['code_verifier']) {
    throw new errors.InvalidRequest("missing required parameter 'code_verifier'");
  }
}

/**
 * `response_type` must be exactly `code`; another spelling of the same meaning is refused. The provider refuses a
 * missing response_type.
 */
function checkResponseType({ params }: RequestContext): void {
  const type = params?.['response_type'];
  if (typeof type === 'string' && type !== 'code') throw new errors.UnsupportedResponseType();
}

/**
 * RFC 7662 §2.1: only apps that can prove their identity may introspect. A public app gets an error, because the app
 * would read `active: false` as "this token is dead". The check comes before the token lookup: the answer is the same
 * for every token.
 */
function checkIntrospection(request: RequestContext): void {
  checkTokenRequest(request);
  if (request.client?.clientAuthMethod === 'none') {
    throw new errors.UnauthorizedClient('introspection needs a confidential client');
  }
}

/**
 * The provider trusts the address that was checked at the beginning of the request. The app may have removed the
 * address since.
 */
function checkRedirectUri({ params, client }: RequestContext): void {
  if (!client?.redirectUris.includes(String(params?.['redirect_uri']))) throw new errors.InvalidRedirectUri();
}

/** Checks that run as soon as the client and its redirect URIs are known. */
const clientRules: Record<string, (request: RequestContext) => void> = {
  authorization: checkResponseType,
  resume: checkRedirectUri,
  token: checkTokenRequest,
  revocation: checkTokenRequest,
  introspection: checkIntrospection,
};

/** Runs before the secret is checked. `provider-endpoints.ts` counts the wrong secrets. */
function slowDown({ ctx, route, client }: RequestContext, brake: ClientSecretLimiter): void {
  if (!client || route === 'authorization' || route === 'resume') return;
  const wait = brake.wait(client.clientId, ctx.ip);
  if (wait === 0) return;
  ctx.set('Retry-After', String(wait));
  const refusal = new errors.CustomOIDCProviderError(TOO_MANY.error, TOO_MANY.error_description);
  throw Object.assign(refusal, { status: 429, statusCode: 429 });
}

/**
 * Addresses come from the issuer, never from the Host header of a request. The brake and `clientRules` run as soon as
 * the client of a request is known.
 */
function patchRequestContext(provider: Provider, brake: ClientSecretLimiter): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the published types leave these members out
  const prototype = provider.OIDCContext.prototype as unknown as RequestContext;
  // oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
  const { entity } = prototype;
  prototype.entity = function entityWithRules(this: RequestContext, key, value) {
    entity.call(this, key, value);
    if (key !== 'Client') return;
    slowDown(this, brake);
    clientRules[this.route]?.(this);
  };
  prototype.urlFor = (name, options) => provider.urlFor(name, options);
}

/** The store keeps only digests of client secrets. The comparison has to digest the given secret. */
function patchSecretComparison(provider: Provider, clients: Clients): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the published types leave these members out
  const prototype = provider.Client.prototype as unknown as ClientModel;
  prototype.compareClientSecret = function compareDigests(this: ClientModel, actual) {
    return clients.secretMatches(actual, this.clientSecret);
  };
}

/**
 * docs/threats.md C74: the provider spends a code or refresh token before the new tokens are written. When the write
 * fails, nobody has the new tokens, and the code or refresh token is made valid again. Only the request that spent the
 * code or refresh token has it among its entities.
 */
function giveBackUnanswered(provider: Provider, records: OidcRecords): void {
  provider.on('server_error', (ctx) => {
    if (ctx.path !== '/token') return;
    const { AuthorizationCode: code, RotatedRefreshToken: token } = ctx.oidc?.entities ?? {};
    const spent = code ?? token;
    try {
      if (spent) records.release(spent.kind, spent.jti);
    } catch {
      // The store fails here as well. The answer already reports the failure.
    }
  });
}

/**
 * Ends the grant of a consent whose code was not issued. Otherwise the app would be listed as connected without a
 * token.
 */
function endUnusedGrants(provider: Provider, records: OidcRecords): void {
  provider.on('authorization.error', (ctx) => {
    const grantId = ctx.oidc?.entities.Interaction?.result?.consent?.grantId;
    if (grantId !== undefined) records.revokeGrant(grantId);
  });
}

/**
 * 5.7 in test/modern/README.md: a used refresh token that is sent again ends its grant. The provider checks the scope
 * first, and would only refuse a scope that is too wide. Both errors come after the client was authenticated: nobody
 * else can end the grant of an app.
 */
function endReusedGrants(provider: Provider, records: OidcRecords): void {
  provider.on('grant.error', (ctx, error) => {
    if (!(error instanceof errors.InvalidScope || error instanceof errors.InvalidGrant)) return;
    const { client, params } = ctx.oidc;
    const token = params?.['refresh_token'];
    if (!client || typeof token !== 'string') return;
    const grantId = records.grantOfSpent(token, client.clientId);
    if (grantId === undefined) return;
    records.revokeGrant(grantId);
    provider.emit('grant.revoked', ctx, grantId);
  });
}

export function applyRules(
  provider: Provider,
  { clients, records }: ModernStore,
  brake: ClientSecretLimiter,
): void {
  giveBackUnanswered(provider, records);
  endUnusedGrants(provider, records);
  endReusedGrants(provider, records);
  patchRequestContext(provider, brake);
  patchSecretComparison(provider, clients);
}

/**
 * `invalid_scope` for a scope outside 5.8. The provider drops unknown scopes silently and passes on the rest. This
 * check therefore reads the raw query.
 */
export function checkRequestedScopes(ctx: KoaContextWithOIDC): void {
  const { scope } = ctx.query;
  const requested = typeof scope === 'string' ? scope.split(' ').filter(Boolean) : [];
  if (requested.length === 0) throw new errors.InvalidRequest("missing required parameter 'scope'");
  if (!requested.every(isScope)) {
    // The error does not name the scopes: a list of any length could make the Location longer than clients accept.
    throw new errors.CustomOIDCProviderError('invalid_scope', 'the requested scope is not valid');
  }
}

/** RFC 7636 §4.2 for S256, the only method: the digest has a fixed length. */
export function checkCodeChallenge(_ctx: KoaContextWithOIDC, challenge: unknown): void {
  if (typeof challenge === 'string' && !/^[\w-]{43}$/.test(challenge)) {
    throw new errors.InvalidRequest('code_challenge must be the base64url encoding of a SHA-256 hash');
  }
}
