import { SECOND, UPSTREAM_TIMEOUT, WRITE_PLACE_WITHIN } from '../shared/lifetimes.ts';
import type { TraceContext } from '../shared/trace/trace-context.ts';
import { answeredHeaders, forwardedHeaders } from './forwarded-headers.ts';
import { createSend, NothingWritten, wireOriginOf, type WireAnswer } from './wire/kept-connections.ts';
import { AnswerLost, Unavailable } from './outcomes.ts';
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
  /** Set for a call of an address that only reads. Any other call is never sent again, whatever its method. */
  isRead?: boolean;
  /** Set for a call that must not be carried out twice. */
  mayWrite?: boolean;
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
  /** Sends a call as it came, without hop-by-hop headers. @throws {AnswerLost | Unavailable} no whole answer came; the second: nothing was sent */
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

function unavailable(error: unknown): Unavailable {
  const { message, code } = error as { message?: string; code?: string };
  // Keeps only the message and code, because the failure may hold data of the call.
  const cause = Object.assign(new Error(message ?? 'the request failed'), { code });
  if (error instanceof NothingWritten) return new Unavailable('the old API could not be reached', { cause });
  return new AnswerLost('the old API did not answer', { cause });
}

function toAnswer({ head, body }: WireAnswer): PassedAnswer {
  const { statusCode: status = 0, statusMessage: reason = '', rawHeaders } = head;
  return { status, reason, rawHeaders: answeredHeaders(rawHeaders), body };
}

/**
 * Whether a call may be sent again after a kept connection turned out closed, although the call may have been carried
 * out. The method alone says nothing: the old API ends a token by GET too (docs/old-api.md Q14).
 */
function isRepeatable({ method, isRead = false }: PassedCall): boolean {
  return method === 'GET' && isRead;
}

/**
 * How long a call may wait for its place, of the time that it has. What may write leaves most of that time to the old API: a
 * write that is carried out without an answer is in doubt, and one that found no place was not sent.
 */
const placeWithin = ({ mayWrite = false }: PassedCall, limit: number): number =>
  mayWrite ? Math.min(WRITE_PLACE_WITHIN, limit / 3) : limit;

type SendCall = (call: PassedCall, limit: number) => Promise<PassedAnswer>;

/** Sends calls to one origin. */
function createSendCall(origin: URL, maxSockets: number): SendCall {
  const send = createSend(maxSockets);
  const wireOrigin = wireOriginOf(origin);
  return async (call, limit) => {
    const { method, target: path, body } = call;
    const headers = forwardedHeaders(call, origin.host);
    const rules = { isRepeatable: isRepeatable(call), limit };
    try {
      return toAnswer(await send(wireOrigin, { method, path, headers, body }, rules));
    } catch (error) {
      throw unavailable(error);
    }
  };
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
 * known; of that time a call that may write waits for a third at most. Old clients wait twenty seconds (docs/old-api.md Q18).
 */
export function createOldBackend(origin: string, limit: number = UPSTREAM_TIMEOUT): OldBackend {
  const doors = (maxSockets: number) => createSendCall(new URL(origin), maxSockets);
  const [forKnown, ofOurOwn] = [doors(AT_ONCE), doors(AT_ONCE)];
  const inKnownPlace = createConcurrencyLimit({ ...KNOWN, patience: limit });
  const unknown = {
    stranger: { send: doors(STRANGERS.places), inPlace: createConcurrencyLimit(STRANGERS) },
    anonymous: { send: doors(ANONYMOUS.places), inPlace: createConcurrencyLimit(ANONYMOUS) },
  };
  const ask = (token: string, own: Pick<PassedCall, 'method' | 'target' | 'isRead' | 'trace'>) =>
    ofOurOwn({ ...own, rawHeaders: withToken(token), body: Buffer.alloc(0) }, limit);
  return {
    pass(call) {
      const { sender, takers } = call;
      if (sender === undefined)
        return inKnownPlace((waited) => forKnown(call, limit - waited), takers, placeWithin(call, limit));
      const { send, inPlace } = unknown[sender];
      return inPlace(() => send(call, limit), takers);
    },
    read: async (path, token, trace) =>
      documentIn(await ask(token, { method: 'GET', target: path, isRead: true, trace })),
    async deauthorize(token, trace) {
      const { status } = await ask(token, { method: 'POST', target: '/1/user/deauthorize.json', trace });
      const isDone = (status >= 200 && status < 300) || status === 401;
      if (!isDone) throw new Unavailable(`the old API answered ${status}`);
    },
  };
}
