/**
 * Rules for a whole endpoint of the authorization server, before and after oidc-provider sees a request: methods, the
 * place of parameters, and the content of the discovery document.
 */
import { errors } from './oidc.ts';
import type { KoaContextWithOIDC, Provider } from './oidc.ts';
import { scopes } from '../scopes.ts';
import type { ProviderBrakes } from './provider-brakes.ts';
import { type ClientSecretLimiter, TOO_MANY } from '../secret-brake.ts';

type ProviderContext = Pick<
  KoaContextWithOIDC,
  'ip' | 'path' | 'method' | 'query' | 'status' | 'remove' | 'set'
> & {
  body: unknown;
  /** Missing when the request reached no endpoint. */
  oidc?: Pick<KoaContextWithOIDC['oidc'], 'client'>;
};

const READ = ['GET', 'HEAD', 'OPTIONS'];

function methodsOf(path: string): string[] {
  if (path.startsWith('/token')) return ['POST'];
  return path.startsWith('/auth') ? ['GET'] : READ;
}

/** RFC 6749 §2.3.1 and RFC 9700 §4.3.2: logs record addresses. None of these parameters may be in an address. */
const SECRETS = ['client_secret', 'code', 'code_verifier', 'refresh_token', 'token'];

/**
 * Limit for the parameters of /auth other than `scope`. The store keeps an authorization request until the person
 * decides. `scope` may be longer because the scopes are checked at once.
 */
const MAX_PARAMETERS = 16 * 1024;

function isTooLong({ path, query }: Pick<ProviderContext, 'path' | 'query'>): boolean {
  if (path !== '/auth') return false;
  const kept = Object.entries(query).filter(([name]) => name !== 'scope');
  return kept.flat(2).join('').length > MAX_PARAMETERS;
}

function problemOf({ method, path, query }: ProviderContext): errors.InvalidRequest | undefined {
  const methods = methodsOf(path);
  if (!methods.includes(method)) {
    return new errors.InvalidRequest(`this address answers ${methods.join(', ')} only`, 405);
  }
  if (isTooLong({ path, query })) return new errors.InvalidRequest('the parameters are too long');
  const misplaced = methods.includes('POST') && SECRETS.some((name) => name in query);
  return misplaced
    ? new errors.InvalidRequest('parameters belong in the body, never in the address')
    : undefined;
}

/** OpenID parameters that the provider would refuse. Parameters that 5.3 does not list are ignored (RFC 6749 §3.1). */
const IGNORED = ['acr_values', 'id_token_hint', 'max_age', 'registration', 'request', 'request_uri'];

/**
 * The new API sends answers to the app as query parameters only. The provider would send some errors behind a `#` or in
 * a self-submitting form. `response_mode` is no parameter of 5.3 and is ignored like the others.
 */
function keepKnownParameters(ctx: ProviderContext): void {
  if (ctx.path !== '/auth') return;
  const known = Object.entries(ctx.query).filter(([name]) => !IGNORED.includes(name));
  ctx.query = { ...Object.fromEntries(known), response_mode: 'query' };
}

/** Scripts of other sites must not read an answer that carries tokens. */
function closeToScripts(ctx: ProviderContext): void {
  if (ctx.path.startsWith('/token')) ctx.remove('Access-Control-Allow-Origin');
}

/**
 * A client that fails to authenticate, for example by a wrong secret, gets 401. The provider checks the secret before
 * the rest of the request: a request that was granted had the right secret.
 */
function countSecret(ctx: ProviderContext, brake: ClientSecretLimiter): void {
  const { path, status, oidc, ip } = ctx;
  if (!path.startsWith('/token') || !oidc?.client) return;
  const { clientId, clientAuthMethod } = oidc.client;
  if (clientAuthMethod === 'none') return;
  if (status !== 401) return;
  const wait = brake.countWrong(clientId, ip);
  if (wait === 0) return;
  ctx.status = 429;
  ctx.remove('WWW-Authenticate');
  ctx.set('Retry-After', String(wait));
  ctx.body = TOO_MANY;
}

const RETRY_SECONDS = 5;

/** RFC 7009 §2.2.1: only 503 tells an app that the token still lives and that the app should retry. */
function admitOutage(ctx: ProviderContext): void {
  if (ctx.path !== '/token/revocation' || ctx.status !== 500) return;
  ctx.status = 503;
  ctx.set('Retry-After', String(RETRY_SECONDS));
}

/** The provider lists these members in every discovery document. This server has neither claims nor id tokens. */
const NOT_SERVED = [
  'claims_supported',
  'claim_types_supported',
  'claims_parameter_supported',
  'request_uri_parameter_supported',
];
/**
 * OpenID Connect Discovery 3 requires these two members of `openid-configuration`. RFC 8414 does not know the members.
 */
const OPENID_ONLY = ['subject_types_supported', 'id_token_signing_alg_values_supported'];

export interface EndpointDeps {
  brakes: ProviderBrakes;
  /** The page for a person who has to wait. */
  renderSlowDown: () => string;
}

/** Whether the address has to wait. The context then holds the answer. */
async function mustWait(ctx: ProviderContext, parts: EndpointDeps): Promise<boolean> {
  if (ctx.path !== '/auth') return false;
  const wait = await parts.brakes.authorizations(ctx.ip);
  if (wait === 0) return false;
  ctx.status = 429;
  ctx.set('Retry-After', String(wait));
  ctx.set('Content-Type', 'text/html; charset=utf-8');
  ctx.body = parts.renderSlowDown();
  return true;
}

function trimDiscovery({ path, status, body }: ProviderContext): void {
  if (!path.startsWith('/.well-known/') || status !== 200 || typeof body !== 'object' || body === null)
    return;
  Object.assign(body, { scopes_supported: scopes, response_modes_supported: ['query'] });
  const left = path.endsWith('/openid-configuration') ? NOT_SERVED : [...NOT_SERVED, ...OPENID_ONLY];
  for (const name of left) Reflect.deleteProperty(body, name);
}

/**
 * Answers a wrong method with 405 and `Allow`. Answers misplaced secrets and parameters that are too long with 400, and
 * an address that begins too many authorization requests with 429.
 * Sends authorization answers in the query alone, counts wrong client secrets, and removes false statements from the
 * discovery document.
 */
export function guardEndpoints(provider: Provider, parts: EndpointDeps): void {
  provider.use(async (ctx, next) => {
    const problem = problemOf(ctx);
    if (problem) {
      ctx.status = problem.statusCode;
      if (problem.statusCode === 405) ctx.set('Allow', methodsOf(ctx.path).join(', '));
      ctx.body = { error: problem.error, error_description: problem.error_description };
      return;
    }
    if (await mustWait(ctx, parts)) return;
    keepKnownParameters(ctx);
    await next();
    countSecret(ctx, parts.brakes.secrets);
    closeToScripts(ctx);
    admitOutage(ctx);
    trimDiscovery(ctx);
  });
}
