import { createHash, randomBytes } from 'node:crypto';
import { type HttpAnswer, jsonObject } from './http-client.ts';
import { Unavailable } from './outcomes.ts';

/**
 * A test call that shows whether the bridge can use a client of another owner, without a consent and without a trace:
 * an exchange with an invented code, and the first step of an authorization that is never continued.
 */

/** The planned use of a client: the bridge's callback, and the scopes for the consent, separated by spaces. */
export interface ClientUse {
  redirectUri: string;
  scope: string;
}

/**
 * Why a client is not usable as planned: its credentials are wrong; the bridge's callback is not registered (or the
 * server shows another error on a page only); or the name of the error that the server sends to the bridge's callback.
 */
export type ClientFault = { at: 'credentials' } | { at: 'callback' } | { at: 'authorization'; error: string };

const random = () => randomBytes(32).toString('base64url');

/**
 * Fields of a code exchange that can only be refused: with `invalid_grant` for a client with right credentials (RFC
 * 6749 §5.2).
 */
export function emptyExchange(redirectUri: string): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    code: random(),
    redirect_uri: redirectUri,
    code_verifier: random(),
  };
}

/** An error code of another server, without anything that a line cannot show. */
const codeOf = (error: string) => error.replaceAll(/[^\w-]/g, '').slice(0, 60);

/** What an answer said: its status, and its error where it names one. */
export function saidBy(answer: HttpAnswer): string {
  const error = jsonObject(answer)?.['error'];
  return typeof error === 'string' ? `${answer.status} ${codeOf(error)}` : String(answer.status);
}

/** Whether the refusal of an empty exchange shows right credentials. @throws {Unavailable} */
export function areCredentialsRight(answer: HttpAnswer): boolean {
  const error = jsonObject(answer)?.['error'];
  if (error === 'invalid_grant') return true;
  if (error === 'invalid_client' || answer.status === 401) return false;
  throw new Unavailable(`the authorization server answered ${answer.status} to the test of a client`);
}

/** The address where an authorization of the client begins. */
export function authorizationAddress(authorizationUrl: string, clientId: string, use: ClientUse): string {
  const url = new URL(authorizationUrl);
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: use.redirectUri,
    scope: use.scope,
    state: random(),
    code_challenge: createHash('sha256').update(random()).digest('base64url'),
    code_challenge_method: 'S256',
    prompt: 'consent',
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** The error in a redirect to the bridge's callback; undefined for any other answer. */
function errorAtCallback(answer: HttpAnswer, { redirectUri }: ClientUse): string | undefined {
  const { location = '' } = answer.headers;
  const isOurs = location === redirectUri || location.startsWith(`${redirectUri}?`);
  const error = isOurs ? new URL(location).searchParams.get('error') : null;
  return error === null ? undefined : codeOf(error);
}

const PASSING = ['server_error', 'temporarily_unavailable'];

/**
 * The fault in the first answer of an authorization; undefined when the authorization could continue. @throws
 * {Unavailable}
 */
export function faultOfBeginning(answer: HttpAnswer, use: ClientUse): ClientFault | undefined {
  const error = errorAtCallback(answer, use);
  const isClear = answer.status < 500 && answer.status !== 429 && !PASSING.includes(error ?? '');
  if (!isClear)
    throw new Unavailable(
      `the authorization server answered ${answer.status} to the test of a client's callback`,
    );
  if (answer.status >= 400) return { at: 'callback' };
  return error === undefined ? undefined : { at: 'authorization', error };
}
