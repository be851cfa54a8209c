/**
 * Rules of the specification that oidc-provider has no setting for. Each replaces one method of its models; the version
 * is pinned, and test/modern/ walks every one of them over HTTP.
 */
import { errors } from './oidc.ts';
import type { KoaContextWithOIDC, Provider } from './oidc.ts';
import { isScope, scopes } from './scopes.ts';
import type { Clients } from './store/clients.ts';

interface RequestContext {
  ctx: KoaContextWithOIDC;
  body?: Record<string, unknown>;
  entity(key: string, value: unknown): void;
  urlFor(name: string, options?: Record<string, unknown>): string;
}

interface ClientModel {
  clientSecret: string;
  compareClientSecret(actual: string): boolean;
}

/**
 * Specification 5.2 and 5.5: a public client must not send client_secret. The provider reads an empty one as absent, so
 * the raw body is looked at once the client is known.
 */
function refuseEmptySecret(request: RequestContext, key: string): void {
  if (key === 'Client' && request.body?.['client_secret'] === '') {
    throw new errors.InvalidClientAuth('client_secret is empty');
  }
}

/** Addresses come from the issuer, never from the Host header of a request. */
function patchRequestContext(provider: Provider): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the published types leave these members out
  const prototype = provider.OIDCContext.prototype as unknown as RequestContext;
  // oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
  const { entity } = prototype;
  prototype.entity = function entityWithRules(this: RequestContext, key, value) {
    refuseEmptySecret(this, key);
    entity.call(this, key, value);
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

/** The provider always lists `openid` and every response mode; ours serves neither (specification 5.4, 5.8). */
function trimDiscovery(provider: Provider): void {
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path.startsWith('/.well-known/')) {
      Object.assign(ctx.body, { scopes_supported: scopes, response_modes_supported: ['query'] });
    }
  });
}

export function applyRules(provider: Provider, clients: Clients): void {
  trimDiscovery(provider);
  patchRequestContext(provider);
  patchSecretComparison(provider, clients);
}

/**
 * `invalid_scope` for a scope outside 5.8. The provider drops those silently and hands over what is left, hence the raw
 * query (facts/modern-api.md 5.3).
 */
export function checkRequestedScopes(ctx: KoaContextWithOIDC): void {
  const { scope } = ctx.query;
  const requested = typeof scope === 'string' ? scope.split(' ').filter(Boolean) : [];
  if (requested.length === 0) throw new errors.InvalidRequest("missing required parameter 'scope'");
  const unknown = requested.filter((name) => !isScope(name));
  if (unknown.length > 0) {
    throw new errors.InvalidScope('the requested scope is not valid', unknown.join(' '));
  }
}
