import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { SECOND, UPSTREAM_TIMEOUT } from '../shared/lifetimes.ts';
import { answeredHeaders, forwardedHeaders } from './forwarded-headers.ts';
import { Unavailable } from './outcomes.ts';
import { createConcurrencyLimit, type Takers } from './concurrency-limit.ts';

/**
 * The old API, while it still runs (docs/decisions/0014). Only the settings name its address; no redirect of it is
 * followed, and sizes and times are bounded.
 */

/** A call as it came in. */
export interface PassedCall {
  method: string;
  /** Path and query, byte for byte; begins with a slash. */
  target: string;
  /** Names and values in turn, as `rawHeaders` has them. */
  rawHeaders: readonly string[];
  body: Buffer;
  /** It has no token, or one that is not known here: anybody may have sent it, so that it must take nothing from others. */
  sender?: 'anonymous' | 'stranger';
  /** Who shares the connections to the old API by this call. */
  takers?: Takers;
}

/** Its answer, as it was: no redirect followed, nothing unpacked. */
export interface PassedAnswer {
  status: number;
  /** The reason phrase; it may be empty. */
  reason: string;
  /** Names and values in turn, those of the connection left out. */
  rawHeaders: readonly string[];
  body: Buffer;
}

export interface OldBackend {
  /** Sends a call as it came, without hop-by-hop headers. @throws {Unavailable} it did not answer whole */
  pass(call: PassedCall): Promise<PassedAnswer>;
  /** Reads one document with a token; undefined where the token is refused. @throws {Unavailable} anything else */
  read(path: '/1/user.json' | '/1/profiles.json', token: string): Promise<unknown>;
  /** Ends a token there, as its app would; one that is refused has ended already. @throws {Unavailable} */
  deauthorize(token: string): Promise<void>;
}

/** Connections at once of calls with known tokens, and of what the bridge asks itself; each kept and not kept. */
const AT_ONCE = 64;

/**
 * Calls with known tokens at once. An account may take what is free, but for a quarter: that is for accounts with few calls
 * under way.
 */
const KNOWN = { places: 48, reserve: { places: AT_ONCE - 48, most: 2 }, retryAfter: 5 * SECOND };

/** Calls of strangers at once, and how long one waits until it is told to come again. */
const STRANGERS = { places: 16, patience: SECOND };

/** Calls without a token at once. */
const ANONYMOUS = { places: 8, patience: SECOND };

/** The largest answer that is read; a longer one is refused before it is held in memory. */
const ANSWER_LIMIT_BYTES = 4 * 1024 * 1024;

function unavailable(error: unknown): Unavailable {
  const { message, code } = error as { message?: string; code?: string };
  // Only what happened is passed on, not what the failure may carry of the call.
  const cause = Object.assign(new Error(message ?? 'the request failed'), { code });
  return new Unavailable('the old backend did not answer', { cause });
}

/** The whole body, or nothing of it. */
function wholeBody(answer: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    answer.on('data', (part: Buffer) => {
      size += part.length;
      parts.push(part);
      if (size > ANSWER_LIMIT_BYTES) answer.destroy(new Error('the answer is too long'));
    });
    answer.on('error', reject);
    answer.once('end', () =>
      answer.complete ? resolve(Buffer.concat(parts)) : reject(new Error('cut short')),
    );
    answer.once('close', () => reject(new Error('the answer was cut short')));
  });
}

async function toAnswer(answer: IncomingMessage): Promise<PassedAnswer> {
  const { statusCode: status = 0, statusMessage: reason = '', rawHeaders } = answer;
  return { status, reason, rawHeaders: answeredHeaders(rawHeaders), body: await wholeBody(answer) };
}

/** The peer had closed a pooled connection just before it was used again. */
class ClosedMeanwhile extends Error {
  override readonly name = 'ClosedMeanwhile';
}

type Send = (call: PassedCall, how: { isPooled: boolean; signal: AbortSignal }) => Promise<PassedAnswer>;

/** The doors to one origin: connections that are kept, and connections for one call each. */
function createSend(origin: URL, maxSockets: number): Send {
  const isTls = origin.protocol === 'https:';
  const agentOf = (keepAlive: boolean) => {
    const options = { keepAlive, maxSockets };
    return isTls ? new HttpsAgent({ ...options, minVersion: 'TLSv1.2' }) : new HttpAgent(options);
  };
  const [pooled, fresh] = [agentOf(true), agentOf(false)];
  const { hostname, port, host } = origin;
  const address = { hostname: hostname.replace(/^\[|\]$/g, ''), port };
  return (call, { isPooled, signal }) =>
    new Promise((resolve, reject) => {
      const { method, target: path, body } = call;
      const headers = forwardedHeaders(call, host);
      const options = { ...address, method, path, headers, signal, agent: isPooled ? pooled : fresh };
      let isAnswered = false;
      const sent = (isTls ? requestHttps : requestHttp)(options, (answer) => {
        isAnswered = true;
        toAnswer(answer).then(resolve, reject);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
        reject(sent.reusedSocket && isClosed ? new ClosedMeanwhile(error.message) : error);
      });
      // A connection that turns into another protocol closes without an error.
      sent.once('close', () => !isAnswered && reject(new Error('no answer')));
      sent.end(body);
    });
}

/**
 * Whether a call may be sent again when a kept connection turns out closed: it may have been carried out. The old API
 * ends a token by GET too (docs/old-api.md Q14).
 */
function isRepeatable({ method, target }: PassedCall): boolean {
  return method === 'GET' && !target.includes('deauthorize');
}

async function sendSafely(send: Send, call: PassedCall, signal: AbortSignal): Promise<PassedAnswer> {
  const isPooled = isRepeatable(call);
  try {
    return await send(call, { isPooled, signal });
  } catch (error) {
    if (!(error instanceof ClosedMeanwhile)) throw error;
    return send(call, { isPooled: false, signal });
  }
}

const withToken = (token: string) => ['Authorization', `Bearer ${token}`, 'Accept', 'application/json'];

function documentIn({ status, body }: PassedAnswer): unknown {
  if (status === 401) return undefined;
  if (status !== 200) throw new Unavailable(`the old backend answered ${status}`);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new Unavailable('the old backend answered no JSON');
  }
}

/**
 * The old API at an origin. Calls take at most `limit` milliseconds, what they wait for a place with it if their token is
 * known; old clients wait twenty seconds (docs/old-api.md Q18).
 */
export function createOldBackend(origin: string, limit: number = UPSTREAM_TIMEOUT): OldBackend {
  const doors = (maxSockets: number) => createSend(new URL(origin), maxSockets);
  const [forKnown, ofOurOwn] = [doors(AT_ONCE), doors(AT_ONCE)];
  const inKnownPlace = createConcurrencyLimit({ ...KNOWN, patience: limit });
  const unknown = {
    stranger: { send: doors(STRANGERS.places), inPlace: createConcurrencyLimit(STRANGERS) },
    anonymous: { send: doors(ANONYMOUS.places), inPlace: createConcurrencyLimit(ANONYMOUS) },
  };
  const sendBy = async (send: Send, call: PassedCall, waited = 0): Promise<PassedAnswer> => {
    const overdue = new AbortController();
    const timer = setTimeout(() => overdue.abort(), limit - waited);
    try {
      return await sendSafely(send, call, overdue.signal);
    } catch (error) {
      throw unavailable(error);
    } finally {
      clearTimeout(timer);
    }
  };
  const ask = (method: string, target: string, token: string) =>
    sendBy(ofOurOwn, { method, target, rawHeaders: withToken(token), body: Buffer.alloc(0) });
  return {
    pass(call) {
      const { sender, takers } = call;
      if (sender === undefined) return inKnownPlace((waited) => sendBy(forKnown, call, waited), takers);
      const { send, inPlace } = unknown[sender];
      return inPlace(() => sendBy(send, call), takers);
    },
    read: async (path, token) => documentIn(await ask('GET', path, token)),
    async deauthorize(token) {
      const { status } = await ask('POST', '/1/user/deauthorize.json', token);
      const isDone = (status >= 200 && status < 300) || status === 401;
      if (!isDone) throw new Unavailable(`the old backend answered ${status}`);
    },
  };
}
