import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { SECOND, UPSTREAM_TIMEOUT } from '../shared/lifetimes.ts';
import { OutboundAgent } from '../shared/net/outbound-proxy.ts';
import type { TraceContext } from '../shared/trace/trace-context.ts';
import { answeredHeaders, forwardedHeaders } from './forwarded-headers.ts';
import { Unavailable } from './outcomes.ts';
import { createConcurrencyLimit, type Takers } from './concurrency-limit.ts';

/**
 * The old API, while it still runs (docs/decisions/0014). Only the settings name its address. Its redirects are not
 * followed, and sizes and times are bounded.
 */

/** A call as received. */
export interface PassedCall {
  method: string;
  /** Path and query, byte for byte, beginning with a slash. */
  target: string;
  /** Names and values in turn, as in `rawHeaders`. */
  rawHeaders: readonly string[];
  body: Buffer;
  /**
   * Set for a call without a token, or with a token that the bridge does not know. Anybody may have sent such a call,
   * so it must not take capacity from other calls.
   */
  sender?: 'anonymous' | 'stranger';
  /** The app and account that share the connections to the old API. */
  takers?: Takers;
  /** The trace that the call belongs to. */
  trace?: TraceContext | undefined;
}

/** The answer of the old API, unchanged: no redirect followed, no content unpacked. */
export interface PassedAnswer {
  status: number;
  /** The reason phrase; may be empty. */
  reason: string;
  /** Names and values in turn, without the headers of the connection. */
  rawHeaders: readonly string[];
  body: Buffer;
}

export interface OldBackend {
  /** Sends a call as it came, without hop-by-hop headers. @throws {Unavailable} no whole answer came */
  pass(call: PassedCall): Promise<PassedAnswer>;
  /** Reads one document with a token; undefined when the token is refused. @throws {Unavailable} any other failure */
  read(path: '/1/user.json' | '/1/profiles.json', token: string, trace?: TraceContext): Promise<unknown>;
  /** Ends a token at the old API, as its app would. A refused token has ended already. @throws {Unavailable} */
  deauthorize(token: string, trace?: TraceContext): Promise<void>;
}

/**
 * The most parallel connections for calls with known tokens, and for the bridge's own calls; separately for kept and
 * single-use connections.
 */
const AT_ONCE = 64;

/**
 * The most parallel calls with known tokens. An account may take all free places except a reserve of a quarter, for
 * accounts with few calls under way.
 */
const KNOWN = { places: 48, reserve: { places: AT_ONCE - 48, most: 2 }, retryAfter: 5 * SECOND };

/** The most parallel calls with unknown tokens, and how long each waits before it is told to come again. */
const STRANGERS = { places: 16, patience: SECOND };

/** The most parallel calls without a token. */
const ANONYMOUS = { places: 8, patience: SECOND };

/** The largest answer that is read. A longer answer is refused before memory holds it. */
const ANSWER_LIMIT_BYTES = 4 * 1024 * 1024;

function unavailable(error: unknown): Unavailable {
  const { message, code } = error as { message?: string; code?: string };
  // Keeps only the message and code, because the failure may hold data of the call.
  const cause = Object.assign(new Error(message ?? 'the request failed'), { code });
  return new Unavailable('the old API did not answer', { cause });
}

/** The whole body, or a failure. */
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

/** The peer had closed a pooled connection just before the reuse. */
class ClosedMeanwhile extends Error {
  override readonly name = 'ClosedMeanwhile';
}

type SendCall = (call: PassedCall, how: { isPooled: boolean; signal: AbortSignal }) => Promise<PassedAnswer>;

/** Sends calls to one origin, over kept connections or over single-use connections. */
function createSend(origin: URL, maxSockets: number): SendCall {
  const isTls = origin.protocol === 'https:';
  const agentOf = (keepAlive: boolean) => {
    const options = { keepAlive, maxSockets };
    return isTls ? new OutboundAgent(options) : new HttpAgent(options);
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
      // A connection that switches to another protocol closes without an error.
      sent.once('close', () => !isAnswered && reject(new Error('no answer')));
      // A request that waits for a connection tells nobody that it was aborted.
      signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      sent.end(body);
    });
}

/**
 * Whether a call may be sent again after a kept connection turned out closed, although the call may have been carried
 * out. The old API ends a token by GET too (docs/old-api.md Q14).
 */
function isRepeatable({ method, target }: PassedCall): boolean {
  return method === 'GET' && !target.includes('deauthorize');
}

async function sendSafely(send: SendCall, call: PassedCall, signal: AbortSignal): Promise<PassedAnswer> {
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
  if (status !== 200) throw new Unavailable(`the old API answered ${status}`);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new Unavailable('the old API answered without JSON');
  }
}

/**
 * The old API at an origin. A call takes at most `limit` milliseconds, including the wait for a place if its token is
 * known. Old clients wait twenty seconds (docs/old-api.md Q18).
 */
export function createOldBackend(origin: string, limit: number = UPSTREAM_TIMEOUT): OldBackend {
  const doors = (maxSockets: number) => createSend(new URL(origin), maxSockets);
  const [forKnown, ofOurOwn] = [doors(AT_ONCE), doors(AT_ONCE)];
  const inKnownPlace = createConcurrencyLimit({ ...KNOWN, patience: limit });
  const unknown = {
    stranger: { send: doors(STRANGERS.places), inPlace: createConcurrencyLimit(STRANGERS) },
    anonymous: { send: doors(ANONYMOUS.places), inPlace: createConcurrencyLimit(ANONYMOUS) },
  };
  const sendBy = async (send: SendCall, call: PassedCall, waited = 0): Promise<PassedAnswer> => {
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
  const ask = (token: string, own: Pick<PassedCall, 'method' | 'target' | 'trace'>) =>
    sendBy(ofOurOwn, { ...own, rawHeaders: withToken(token), body: Buffer.alloc(0) });
  return {
    pass(call) {
      const { sender, takers } = call;
      if (sender === undefined) return inKnownPlace((waited) => sendBy(forKnown, call, waited), takers);
      const { send, inPlace } = unknown[sender];
      return inPlace(() => sendBy(send, call), takers);
    },
    read: async (path, token, trace) => documentIn(await ask(token, { method: 'GET', target: path, trace })),
    async deauthorize(token, trace) {
      const { status } = await ask(token, { method: 'POST', target: '/1/user/deauthorize.json', trace });
      const isDone = (status >= 200 && status < 300) || status === 401;
      if (!isDone) throw new Unavailable(`the old API answered ${status}`);
    },
  };
}
