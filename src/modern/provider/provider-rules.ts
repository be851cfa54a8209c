/**
 * Rules of the new API (test/modern/README.md) that oidc-provider has no setting for. Most replace one method of its
 * models; the version is pinned, and test/modern/ walks every one of them over HTTP.
 */
import { errors } from './oidc.ts';
import type { KoaContextWithOIDC, Provider } from './oidc.ts';
import { isScope } from '../scopes.ts';
import { type SecretBrake, TOO_MANY } from '../secret-brake.ts';
import type { Clients } from '../store/clients/clients.ts';
import type { OidcRecords } from '../store/oidc-records.ts';
import type { Store } from '../store/store.ts';

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
 * The new API: a public client must not send client_secret, and code_verifier is required. The provider
 * reads an empty secret as absent and calls a missing verifier a wrong one, so the raw body is looked at.
 */
function checkTokenRequest({ body = {} }: RequestContext): void {
  if (body['client_secret'] === '') throw new errors.InvalidClientAuth('client_secret is empty');
  if (body['grant_type'] === 'authorization_code' && !body['code_verifier']) {
    throw new errors.InvalidRequest("missing required parameter 'code_verifier'");
  }
}

/** `response_type` is `code`, and nothing that only means the same. A missing one is left to the provider. */
function checkResponseType({ params }: RequestContext): void {
  const type = params?.['response_type'];
  if (typeof type === 'string' && type !== 'code') throw new errors.UnsupportedResponseType();
}

/**
 * RFC 7662 §2.1: only for apps that can prove who they are. An error rather than `active: false`, which a public app
 * would read as "this token is dead"; and before the token is looked at, so that the answer is the same for every
 * token.
 */
function checkIntrospection(request: RequestContext): void {
  checkTokenRequest(request);
  if (request.client?.clientAuthMethod === 'none') {
    throw new errors.UnauthorizedClient('introspection needs a confidential client');
  }
}

/** The provider trusts the address that it checked when the request began; the app may have taken it out since. */
function checkRedirectUri({ params, client }: RequestContext): void {
  if (!client?.redirectUris.includes(String(params?.['redirect_uri']))) throw new errors.InvalidRedirectUri();
}

/** What is looked at as soon as the client is known, and so its redirect URIs. */
const clientRules: Record<string, (request: RequestContext) => void> = {
  authorization: checkResponseType,
  resume: checkRedirectUri,
  token: checkTokenRequest,
  revocation: checkTokenRequest,
  introspection: checkIntrospection,
};

/** Before the secret is looked at; `provider-endpoints.ts` counts those that were wrong. */
function slowDown({ ctx, route, client }: RequestContext, brake: SecretBrake): void {
  if (!client || route === 'authorization' || route === 'resume') return;
  const wait = brake.wait(client.clientId, ctx.ip);
  if (wait === 0) return;
  ctx.set('Retry-After', String(wait));
  const refusal = new errors.CustomOIDCProviderError(TOO_MANY.error, TOO_MANY.error_description);
  throw Object.assign(refusal, { status: 429, statusCode: 429 });
}

/**
 * Addresses come from the issuer, never from the Host header of a request; and as soon as the client of a request is
 * known, the brake and `clientRules` are asked.
 */
function patchRequestContext(provider: Provider, brake: SecretBrake): void {
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

/** Client secrets are stored as digests only, so the comparison has to digest as well. */
function patchSecretComparison(provider: Provider, clients: Clients): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the published types leave these members out
  const prototype = provider.Client.prototype as unknown as ClientModel;
  prototype.compareClientSecret = function compareDigests(this: ClientModel, actual) {
    return clients.secretMatches(actual, this.clientSecret);
  };
}

/**
 * docs/threats.md C74: a code or refresh token is spent before its tokens are written. Where that writing fails nobody
 * gets them, so it is good again; only the request that spent it has it among its entities.
 */
function giveBackUnanswered(provider: Provider, records: OidcRecords): void {
  provider.on('server_error', (ctx) => {
    if (ctx.path !== '/token') return;
    const { AuthorizationCode: code, RotatedRefreshToken: token } = ctx.oidc?.entities ?? {};
    const spent = code ?? token;
    try {
      if (spent) records.release(spent.kind, spent.jti);
    } catch {
      // The store fails at this too: the answer says so already.
    }
  });
}

/** A consent whose code could not be given any more holds nothing: the app would be listed as connected without a token. */
function endUnusedGrants(provider: Provider, records: OidcRecords): void {
  provider.on('authorization.error', (ctx) => {
    const grantId = ctx.oidc?.entities.Interaction?.result?.consent?.grantId;
    if (grantId !== undefined) records.revokeGrant(grantId);
  });
}

export function applyRules(provider: Provider, { clients, records }: Store, brake: SecretBrake): void {
  giveBackUnanswered(provider, records);
  endUnusedGrants(provider, records);
  patchRequestContext(provider, brake);
  patchSecretComparison(provider, clients);
}

/**
 * `invalid_scope` for a scope outside 5.8. The provider drops those silently and hands over what is left, hence the raw
 * query.
 */
export function checkRequestedScopes(ctx: KoaContextWithOIDC): void {
  const { scope } = ctx.query;
  const requested = typeof scope === 'string' ? scope.split(' ').filter(Boolean) : [];
  if (requested.length === 0) throw new errors.InvalidRequest("missing required parameter 'scope'");
  if (!requested.every(isScope)) {
    // Without naming them: what was sent may be longer than a Location that clients take.
    throw new errors.CustomOIDCProviderError('invalid_scope', 'the requested scope is not valid');
  }
}

/** RFC 7636 §4.2 for S256, the only method: the digest has one length. */
export function checkCodeChallenge(_ctx: KoaContextWithOIDC, challenge: unknown): void {
  if (typeof challenge === 'string' && !/^[\w-]{43}$/.test(challenge)) {
    throw new errors.InvalidRequest('code_challenge must be the base64url encoding of a SHA-256 hash');
  }
}
