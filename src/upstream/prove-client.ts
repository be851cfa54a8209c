import { createHash, randomBytes } from 'node:crypto';
import { type HttpAnswer, jsonObject } from './http-client.ts';
import { Unavailable } from './outcomes.ts';

/**
 * A test call that shows whether a client of somebody else can be used from here, without a consent and without a trace:
 * a code that nobody was given, and the first step of an authorization that nobody goes on with.
 */

/** What is asked of a client: our callback, and the scopes to be consented to, separated by spaces. */
export interface ClientUse {
  redirectUri: string;
  scope: string;
}

/**
 * Why a client cannot be used as asked: its credentials are wrong; our callback is not registered there, or something
 * that the server says on a page alone; or the error that it sends to our callback, by its name.
 */
export type ClientFault = { at: 'credentials' } | { at: 'callback' } | { at: 'authorization'; error: string };

const random = () => randomBytes(32).toString('base64url');

/**
 * Fields of a code exchange that can only be refused: `invalid_grant` to a client that is who it says (RFC 6749 §5.2).
 */
export function emptyExchange(redirectUri: string): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    code: random(),
    redirect_uri: redirectUri,
    code_verifier: random(),
  };
}

/** What the refusal of an empty exchange says of the credentials; true when they are right. @throws {Unavailable} */
export function areRight(answer: HttpAnswer): boolean {
  const error = jsonObject(answer)?.['error'];
  if (error === 'invalid_grant') return true;
  if (error === 'invalid_client' || answer.status === 401) return false;
  throw new Unavailable(`the test of a client was answered ${answer.status}`);
}

/** The address where an authorization of the client begins. */
export function beginningAt(authorizationUrl: string, clientId: string, use: ClientUse): string {
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

/** The error that an answer carries to our callback; undefined when it leads anywhere else. */
function errorAtCallback(answer: HttpAnswer, { redirectUri }: ClientUse): string | undefined {
  const { location = '' } = answer.headers;
  const isOurs = location === redirectUri || location.startsWith(`${redirectUri}?`);
  const error = isOurs ? new URL(location).searchParams.get('error') : null;
  return error === null ? undefined : error.replaceAll(/[^\w-]/g, '').slice(0, 60);
}

const PASSING = ['server_error', 'temporarily_unavailable'];

/** What the first answer of an authorization shows; undefined when it goes on. @throws {Unavailable} */
export function faultOfBeginning(answer: HttpAnswer, use: ClientUse): ClientFault | undefined {
  const error = errorAtCallback(answer, use);
  const isClear = answer.status < 500 && answer.status !== 429 && !PASSING.includes(error ?? '');
  if (!isClear) throw new Unavailable(`the test of a client's callback was answered ${answer.status}`);
  if (answer.status >= 400) return { at: 'callback' };
  return error === undefined ? undefined : { at: 'authorization', error };
}
