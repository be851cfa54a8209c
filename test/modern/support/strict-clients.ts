import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { REDIRECT_URI } from './modern.ts';

export interface Registration {
  clientId: string;
  secret?: string;
  method: 'none' | 'client_secret_post' | 'client_secret_basic';
}

type Algorithm = 'oauth2' | 'oidc';

interface Tokens {
  access_token: string;
  refresh_token?: string | undefined;
  scope?: string | undefined;
  expires_in?: number | undefined;
}

interface AuthorizationRequest {
  url: string;
  /** Validates the callback (state, iss) and exchanges its code. */
  finish(callback: URL): Promise<Tokens>;
}

/** One app as a strict library plays it; every method fails where the library finds an answer outside its RFC. */
export interface StrictClient {
  endpoints: Record<string, unknown>;
  authorize(scope: string): Promise<AuthorizationRequest>;
  refresh(token: string): Promise<Tokens>;
  introspect(token: string): Promise<boolean>;
  revoke(token: string): Promise<void>;
  /** A call of the main API; the status of its answer. */
  callApi(token: string): Promise<number>;
}

type StrictLibrary = (
  base: string,
  registration: Registration,
  algorithm?: Algorithm,
) => Promise<StrictClient>;

const QUERY = JSON.stringify({ query: '{ account { id } }' });
const JSON_HEADERS = new Headers({ 'content-type': 'application/json' });

function parameters(scope: string, state: string, challenge: string): Record<string, string> {
  return {
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    prompt: 'consent',
  };
}

/** A refusal of the main API is an exception in both libraries. */
async function statusOf(call: Promise<Response>): Promise<number> {
  try {
    return (await call).status;
  } catch (error) {
    if (error instanceof oauth.WWWAuthenticateChallengeError) return error.status;
    throw error;
  }
}

const OAUTH_AUTHENTICATION = {
  none: () => oauth.None(),
  client_secret_post: (secret: string) => oauth.ClientSecretPost(secret),
  client_secret_basic: (secret: string) => oauth.ClientSecretBasic(secret),
};

// Plain http on loopback is a switch of both libraries.
const insecure = { [oauth.allowInsecureRequests]: true };

export const withOauth4webapi: StrictLibrary = async (base, registration, algorithm = 'oauth2') => {
  const issuer = new URL(base);
  const found = await oauth.discoveryRequest(issuer, { algorithm, ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, found);
  const client = { client_id: registration.clientId };
  const authentication = OAUTH_AUTHENTICATION[registration.method](registration.secret ?? '');
  return {
    endpoints: { ...server },
    async authorize(scope) {
      const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
      const url = new URL(server.authorization_endpoint ?? '');
      const challenge = await oauth.calculatePKCECodeChallenge(verifier);
      const query = { client_id: client.client_id, ...parameters(scope, state, challenge) };
      url.search = new URLSearchParams(query).toString();
      const finish = async (callback: URL) => {
        const answer = oauth.validateAuthResponse(server, client, callback, state);
        return oauth.processAuthorizationCodeResponse(
          server,
          client,
          await oauth.authorizationCodeGrantRequest(
            server,
            client,
            authentication,
            answer,
            REDIRECT_URI,
            verifier,
            insecure,
          ),
        );
      };
      return { url: url.href, finish };
    },
    async refresh(token) {
      const sent = oauth.refreshTokenGrantRequest(server, client, authentication, token, insecure);
      return oauth.processRefreshTokenResponse(server, client, await sent);
    },
    async introspect(token) {
      const sent = oauth.introspectionRequest(server, client, authentication, token, insecure);
      return (await oauth.processIntrospectionResponse(server, client, await sent)).active;
    },
    async revoke(token) {
      const sent = oauth.revocationRequest(server, client, authentication, token, insecure);
      await oauth.processRevocationResponse(await sent);
    },
    callApi: (token) =>
      statusOf(
        oauth.protectedResourceRequest(
          token,
          'POST',
          new URL(`${base}/graphql`),
          JSON_HEADERS,
          QUERY,
          insecure,
        ),
      ),
  };
};

const OPENID_AUTHENTICATION = {
  none: () => openid.None(),
  client_secret_post: (secret: string) => openid.ClientSecretPost(secret),
  client_secret_basic: (secret: string) => openid.ClientSecretBasic(secret),
};

export const withOpenidClient: StrictLibrary = async (base, registration, algorithm = 'oauth2') => {
  const authentication = OPENID_AUTHENTICATION[registration.method](registration.secret ?? '');
  const options = { algorithm, execute: [openid.allowInsecureRequests] };
  const config = await openid.discovery(
    new URL(base),
    registration.clientId,
    undefined,
    authentication,
    options,
  );
  return {
    endpoints: { ...config.serverMetadata() },
    async authorize(scope) {
      const [state, verifier] = [openid.randomState(), openid.randomPKCECodeVerifier()];
      const challenge = await openid.calculatePKCECodeChallenge(verifier);
      const url = openid.buildAuthorizationUrl(config, parameters(scope, state, challenge));
      const finish = (callback: URL) =>
        openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier: verifier, expectedState: state });
      return { url: url.href, finish };
    },
    refresh: (token) => openid.refreshTokenGrant(config, token),
    introspect: async (token) => (await openid.tokenIntrospection(config, token)).active,
    revoke: (token) => openid.tokenRevocation(config, token),
    callApi: (token) =>
      statusOf(
        openid.fetchProtectedResource(config, token, new URL(`${base}/graphql`), 'POST', QUERY, JSON_HEADERS),
      ),
  };
};
