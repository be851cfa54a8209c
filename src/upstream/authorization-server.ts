import type { Clock } from '../shared/clock.ts';
import type { UpstreamMetrics } from '../shared/metrics/upstream-metrics.ts';
import type { TraceContext } from '../shared/trace/trace-context.ts';
import { createClientRest } from './client-rest.ts';
import { type Connection, type ConnectionBreaker, openConnection } from './connection.ts';
import { answersDiscovery, createDiscovery, type Discovery, type ServerMetadata } from './discovery.ts';
import { type HttpAnswer, jsonObject, send } from './http-client.ts';
import { InDoubt, Rejected, type TokenPair, Unavailable } from './outcomes.ts';
import {
  areCredentialsRight,
  authorizationAddress,
  type ClientFault,
  type ClientUse,
  emptyExchange,
  faultOfBeginning,
} from './prove-client.ts';
import { processTokenAnswer } from './token-answer.ts';
import { takeSlot, type WantedCheck } from './token-endpoint-limit.ts';

/** A client registered at the new API. A client without a secret is public and sends no secret (RFC 6749 §2.1). */
export interface ModernClient {
  clientId: string;
  clientSecret: string | undefined;
}

interface AuthorizationServerOptions {
  authUrl: string;
  /** Shared by the clients of one server. Without it this server fetches its own metadata. */
  discovery?: Discovery;
  client: ModernClient;
  clock: Pick<Clock, 'now'>;
  /** Before the connections for refreshes, shared by the clients of one server. */
  connections?: ConnectionBreaker | undefined;
  /** Learns how long exchanges and refreshes wait for a place and for their connection. */
  noteWait?: UpstreamMetrics['noteWait'] | undefined;
}

export interface AuthorizationServer {
  clientId: string;
  authorizationUrl: string;
  metadata(): Promise<ServerMetadata>;
  /** The metadata as far as it is known. No call is sent. */
  knownMetadata(): ServerMetadata | undefined;
  /** Whether the server answers a request that says nothing. */
  answers(): Promise<boolean>;
  /**
   * Opens the connection that a refresh will use; nothing is sent. Where many wait for a slot, those that are wanted
   * come first. Throws `Unavailable`.
   */
  connect(isWanted?: WantedCheck): Promise<Connection>;
  /** Opens the connection for the exchange of a code; nothing is sent. Throws `Unavailable`. */
  connectForExchange(): Promise<Connection>;
  /**
   * Authorization code + PKCE verifier for tokens (RFC 7636 §4.5), on an open connection. Throws one of the three
   * failures.
   */
  exchangeCode(connection: Connection, code: CodeExchange): Promise<TokenPair>;
  /** Presents a refresh token on an open connection (RFC 6749 §6). Throws one of the three failures. */
  refresh(connection: Connection, presented: RefreshRequest): Promise<TokenPair>;
  /**
   * Whether the server still accepts a refresh token (RFC 7662); undefined when the server offers the bridge no
   * introspection.
   */
  isLive(refreshToken: string, trace?: TraceContext): Promise<boolean | undefined>;
  /**
   * Tells the server to forget a refresh token (RFC 7009); false when the server has no such endpoint. Throws
   * `Unavailable`.
   */
  revoke(refreshToken: string): Promise<boolean>;
  /**
   * Tests by a call whether the bridge can use another client; undefined when the client is usable. Throws
   * `Unavailable`.
   */
  prove(client: ModernClient, use: ClientUse): Promise<ClientFault | undefined>;
}

interface RefreshRequest {
  refreshToken: string;
  scope: string;
  /** The account of the token. It shows whether a request to wait concerns one account or the whole client. */
  account: string;
}

interface CodeExchange {
  code: string;
  codeVerifier: string;
  redirectUri: string;
  scope: string;
  trace?: TraceContext | undefined;
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** A form with the client's credentials in the body, as the new API accepts them (RFC 6749 §2.3.1). */
function credentialed(client: ModernClient, fields: Record<string, string>): string {
  const secret = client.clientSecret === undefined ? {} : { client_secret: client.clientSecret };
  return new URLSearchParams({ client_id: client.clientId, ...secret, ...fields }).toString();
}

function exchangeFields({ code, codeVerifier, redirectUri }: Omit<CodeExchange, 'scope' | 'trace'>) {
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
  };
}

/** Sends on a separate connection. A failure after this point proves nothing about what arrived. */
async function sendOnce(connection: Connection, url: string, body: string): Promise<HttpAnswer> {
  try {
    if (!connection.isOpen())
      throw new Unavailable('the connection was closed before the bridge wrote to it');
    return await send({ method: 'POST', url, headers: FORM, body, connection });
  } catch (cause) {
    if (cause instanceof Unavailable) throw cause;
    throw new InDoubt('no whole answer came', { cause });
  } finally {
    connection.reset();
  }
}

/** For calls that may be repeated without harm. Every failure is `Unavailable`. */
async function sendRepeatable(url: string, body?: string, trace?: TraceContext): Promise<HttpAnswer> {
  const request =
    body === undefined ? ({ method: 'GET' } as const) : ({ method: 'POST', headers: FORM, body } as const);
  try {
    return await send({ url, ...request, trace });
  } catch (cause) {
    throw new Unavailable('the authorization server did not answer', { cause });
  }
}

/** Refusals that mean: no introspection for this client (RFC 6749 §4.1.2.1 and §5.2, RFC 6750 §3.1). */
const NOT_FOR_US: readonly unknown[] = ['unauthorized_client', 'access_denied', 'insufficient_scope'];
const REFUSALS = [400, 401, 403];

/**
 * What an answer without a word about the token says. Only an explicit refusal shows that the client may not ask. A wrong
 * secret, or a gateway in trouble, must not make the bridge decide as if there were no introspection.
 * @throws {Unavailable}
 */
function notForUs(answer: HttpAnswer): undefined {
  const { status } = answer;
  const error = REFUSALS.includes(status) ? jsonObject(answer)?.['error'] : undefined;
  if (NOT_FOR_US.includes(error)) return undefined;
  const cause = error === 'invalid_client' ? new Rejected('invalid_client') : undefined;
  throw new Unavailable(`the introspection endpoint answered ${status}`, { cause, status });
}

async function isLive(
  metadata: ServerMetadata,
  client: ModernClient,
  { token, trace }: { token: string; trace: TraceContext | undefined },
): Promise<boolean | undefined> {
  const url = metadata.introspectionEndpoint;
  if (url === undefined || client.clientSecret === undefined) return undefined;
  const form = credentialed(client, { token, token_type_hint: 'refresh_token' });
  const answer = await sendRepeatable(url, form, trace);
  const active = answer.status === 200 ? jsonObject(answer)?.['active'] : undefined;
  return typeof active === 'boolean' ? active : notForUs(answer);
}

async function revoke(metadata: ServerMetadata, client: ModernClient, token: string): Promise<boolean> {
  const url = metadata.revocationEndpoint;
  if (url === undefined) return false;
  const answer = await sendRepeatable(url, credentialed(client, { token, token_type_hint: 'refresh_token' }));
  const { status } = answer;
  if (status !== 200) throw new Unavailable(`the revocation endpoint answered ${status}`, { status });
  return true;
}

/**
 * An exchange that can only be refused. The refusal shows whether the client's credentials are right. Throws
 * `Unavailable`.
 */
export function exchangeMadeUpCode(
  authUrl: string,
  client: ModernClient,
  redirectUri: string,
): Promise<HttpAnswer> {
  return sendRepeatable(`${authUrl}/token`, credentialed(client, emptyExchange(redirectUri)));
}

/** The first step of an authorization that is never continued. Throws `Unavailable`. */
export function beginAuthorization(
  authUrl: string,
  { clientId }: Pick<ModernClient, 'clientId'>,
  use: ClientUse,
): Promise<HttpAnswer> {
  return sendRepeatable(authorizationAddress(`${authUrl}/auth`, clientId, use));
}

async function prove(
  authUrl: string,
  client: ModernClient,
  use: ClientUse,
): Promise<ClientFault | undefined> {
  const answer = await exchangeMadeUpCode(authUrl, client, use.redirectUri);
  if (!areCredentialsRight(answer)) return { at: 'credentials' };
  return faultOfBeginning(await beginAuthorization(authUrl, client, use), use);
}

/** Opens the connections for refreshes. */
function createOpen(
  tokenUrl: string,
  { connections, noteWait }: Pick<AuthorizationServerOptions, 'connections' | 'noteWait'>,
) {
  return (isWanted?: WantedCheck) =>
    openConnection(tokenUrl, { take: () => takeSlot(isWanted), breaker: connections, noteWait });
}

/** The authorization server of the new API at `authUrl`, for one client. */
export function createAuthorizationServer({
  authUrl,
  discovery = createDiscovery(authUrl),
  client,
  clock,
  ...connecting
}: AuthorizationServerOptions): AuthorizationServer {
  const tokenUrl = `${authUrl}/token`;
  const open = createOpen(tokenUrl, connecting);
  const rest = createClientRest({ now: () => clock.now() });
  const present = async (
    connection: Connection,
    { refreshToken, scope }: Omit<RefreshRequest, 'account'>,
  ): Promise<TokenPair> => {
    const fields = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const answer = await sendOnce(connection, tokenUrl, credentialed(client, fields));
    return processTokenAnswer(answer, { scope, presented: refreshToken, now: clock.now() });
  };
  return {
    clientId: client.clientId,
    authorizationUrl: `${authUrl}/auth`,
    metadata: () => discovery.metadata(),
    knownMetadata: () => discovery.known(),
    answers: () => answersDiscovery(authUrl),
    async connect(isWanted) {
      rest.check();
      return open(isWanted);
    },
    connectForExchange: () => openConnection(tokenUrl, { noteWait: connecting.noteWait }),
    async exchangeCode(connection, { scope, trace, ...exchange }) {
      const body = credentialed(client, exchangeFields(exchange));
      const answer = await sendOnce({ ...connection, trace }, tokenUrl, body);
      const isForGood = scope.split(/\s+/).includes('offline_access');
      return processTokenAnswer(answer, { scope, isForGood, now: clock.now() });
    },
    async refresh(connection, { account, ...presented }) {
      try {
        const pair = await present(connection, presented);
        rest.good();
        return pair;
      } catch (error) {
        rest.heard(account, error);
        throw error;
      }
    },
    isLive: async (token, trace) => isLive(await discovery.metadata(), client, { token, trace }),
    revoke: async (refreshToken) => revoke(await discovery.metadata(), client, refreshToken),
    prove: (other, use) => prove(authUrl, other, use),
  };
}
