import type { Configuration } from 'openid-client';
import { companyFailure, SignInRefused } from './company-failures.ts';
import { type CompanyClient, createConfiguration, openidClient } from './configuration.ts';

/**
 * The identity provider of the operator, at which staff sign in (OpenID Connect Core §3.1, with PKCE). The library checks
 * issuer, audience, signature, times and nonce of the ID token. What happens with the claims is the domain's.
 */

/** What one sign-in sends out, and its return has to fit to. */
interface CompanyAttempt {
  redirectUri: string;
  state: string;
  nonce: string;
  verifier: string;
}

/** What the provider says of a person. `iss` and `sub` name the person. */
type CompanyClaims = Readonly<Record<string, unknown>> & { iss: string; sub: string };

/** A browser that came back. */
interface CompanyReturn {
  address: URL;
  /** Whether the ID token says enough. If not, the provider is asked for the rest. */
  isEnough: (claims: CompanyClaims) => boolean;
}

export interface CompanyProvider {
  /** Where the browser goes. `isOther`: the person shall be asked who they are, also when signed in there. */
  authorizationUrl(attempt: CompanyAttempt, isOther: boolean): Promise<string>;
  /**
   * Exchanges the code in the address of a return, and reads who came.
   * @throws {Unavailable | SignInRefused}
   */
  claimsOf(attempt: CompanyAttempt, returned: CompanyReturn): Promise<CompanyClaims>;
}

async function addressFor(
  { scopes }: CompanyClient,
  found: Configuration,
  { attempt, isOther }: { attempt: CompanyAttempt; isOther: boolean },
): Promise<string> {
  const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await openidClient();
  const address = buildAuthorizationUrl(found, {
    redirect_uri: attempt.redirectUri,
    scope: scopes,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
    ...(isOther && { prompt: 'login' }),
  });
  return address.href;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What userinfo says, beneath the signed claims: these win. Both may say a part of one claim, as a `realm_access` without
 * `roles` in the ID token, and the roles at userinfo.
 */
function beneath(info: Record<string, unknown>, claims: Record<string, unknown>): Record<string, unknown> {
  const joined = Object.entries(claims).map(([name, signed]) => {
    const said = Object.hasOwn(info, name) ? info[name] : undefined;
    return [name, isObject(signed) && isObject(said) ? beneath(said, signed) : signed];
  });
  return { ...info, ...Object.fromEntries(joined) };
}

/** Some providers put into the ID token only who somebody is, and answer the rest at a second address. */
async function withUserInfo(
  found: Configuration,
  claims: CompanyClaims,
  accessToken: string,
): Promise<CompanyClaims> {
  if (found.serverMetadata().userinfo_endpoint === undefined) return claims;
  const { fetchUserInfo } = await openidClient();
  // The subject must be the same (OpenID Connect Core §5.3.2).
  return {
    ...beneath(await fetchUserInfo(found, accessToken, claims.sub), claims),
    iss: claims.iss,
    sub: claims.sub,
  };
}

async function exchange(
  found: Configuration,
  attempt: CompanyAttempt,
  { address, isEnough }: CompanyReturn,
): Promise<CompanyClaims> {
  const { authorizationCodeGrant } = await openidClient();
  const tokens = await authorizationCodeGrant(found, address, {
    expectedState: attempt.state,
    expectedNonce: attempt.nonce,
    pkceCodeVerifier: attempt.verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims) throw new SignInRefused('the identity provider sent no ID token');
  return isEnough(claims) ? claims : withUserInfo(found, claims, tokens.access_token);
}

/** The identity provider. Nothing is asked before the first sign-in. */
export function createCompanyProvider(client: CompanyClient): CompanyProvider {
  const configuration = createConfiguration(client);
  const withFailure = <T>(work: (found: Configuration) => Promise<T>) =>
    configuration()
      .then(work)
      .catch((error: unknown) => {
        throw companyFailure(error);
      });
  return {
    authorizationUrl: (attempt, isOther) =>
      withFailure((found) => addressFor(client, found, { attempt, isOther })),
    claimsOf: (attempt, returned) => withFailure((found) => exchange(found, attempt, returned)),
  };
}
