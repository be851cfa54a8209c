import type { ClientAuth, Configuration } from 'openid-client';
import { MINUTE, SECOND } from '../../shared/lifetimes.ts';
import { companyFailure, SignInRefused } from './company-failures.ts';
import { safeFetch } from './safe-fetch.ts';

/** What the identity provider says of itself (OpenID Connect Discovery), and the client there. */

/** The client of the bridge at the identity provider. */
export interface CompanyClient {
  issuer: string;
  clientId: string;
  clientSecret: string;
  scopes: string;
}

type Library = typeof import('openid-client');

/** The library is loaded at the first sign-in: most bridges never need it. */
export const openidClient = (): Promise<Library> => import('openid-client');

const KNOWN_FOR = 10 * MINUTE;

/** After a failure the provider is left alone for this long: anybody can start sign-ins. */
const REST = 5 * SECOND;

/** Without a list the provider takes the secret as HTTP Basic (OpenID Connect Discovery §3). */
function authenticationFor(library: Library, secret: string): ClientAuth {
  const [basic, post] = [library.ClientSecretBasic(secret), library.ClientSecretPost(secret)];
  return (...request) => {
    const [{ token_endpoint_auth_methods_supported: methods }] = request;
    const method = !methods || methods.includes('client_secret_basic') ? basic : post;
    method(...request);
  };
}

/**
 * The library lets some providers name another issuer than the one that was asked for: of many tenants, each of which
 * could sign anybody in.
 */
function requireIssuer(found: Configuration, { issuer }: CompanyClient): void {
  if (new URL(found.serverMetadata().issuer).href !== new URL(issuer).href)
    throw new SignInRefused('the identity provider names another issuer than STAFF_OIDC_ISSUER');
}

async function discover(client: CompanyClient): Promise<Configuration> {
  const library = await openidClient();
  const isOpen = new URL(client.issuer).protocol === 'http:';
  const { discovery, customFetch, enableNonRepudiationChecks, allowInsecureRequests } = library;
  const found = await discovery(
    new URL(client.issuer),
    client.clientId,
    { redirect_uris: [] },
    authenticationFor(library, client.clientSecret),
    {
      [customFetch]: safeFetch,
      // The signature of an ID token is checked, whatever way the token came.
      execute: [enableNonRepudiationChecks, ...(isOpen ? [allowInsecureRequests] : [])],
    },
  );
  requireIssuer(found, client);
  return found;
}

const isFresh = (one: { at: number } | undefined, time: number) =>
  one !== undefined && performance.now() - one.at < time;

/**
 * The configuration, asked for at first use and again after ten minutes. All callers share one question. While the
 * provider cannot be reached, the last known configuration stays valid.
 * @throws {Unavailable | SignInRefused} where none is known yet
 */
export function createConfiguration(client: CompanyClient): () => Promise<Configuration> {
  let known: { found: Configuration; at: number } | undefined;
  let failed: { failure: Error; at: number } | undefined;
  let asking: Promise<void> | undefined;
  const ask = async () => {
    try {
      known = { found: await discover(client), at: performance.now() };
    } catch (error) {
      failed = { failure: companyFailure(error), at: performance.now() };
    } finally {
      asking = undefined;
    }
  };
  return async () => {
    if (!isFresh(known, KNOWN_FOR) && !isFresh(failed, REST)) await (asking ??= ask());
    if (known) return known.found;
    throw failed?.failure ?? new SignInRefused('the identity provider is not known');
  };
}
