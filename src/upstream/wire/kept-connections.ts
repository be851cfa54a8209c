import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { OutboundAgent } from '../../shared/net/outbound-proxy.ts';

/**
 * Sends requests over connections that are kept between requests, or over one that ends with its request. Redirects are
 * not followed, and sizes and times are bounded. It is written on Node's own client, because axios took an eighth of the
 * work of a read (scripts/bench/README.md).
 */

/** The largest answer that is read. A longer answer is refused before memory holds it. */
export const ANSWER_LIMIT_BYTES = 4 * 1024 * 1024;

/** Where a request goes. */
export interface WireOrigin {
  isTls: boolean;
  hostname: string;
  /** Empty for the port of the scheme. */
  port: string;
}

interface WireRequest {
  method: string;
  /** Path and query, byte for byte, beginning with a slash. */
  path: string;
  /** A list has names and values in turn, with `Host` and the length of the body. */
  headers: readonly string[] | OutgoingHttpHeaders;
  body: Buffer | string | undefined;
}

/** An answer as it came: no content unpacked. */
export interface WireAnswer {
  head: IncomingMessage;
  body: Buffer;
}

/** The peer had closed a kept connection just before the reuse. */
class ClosedMeanwhile extends Error {
  override readonly name = 'ClosedMeanwhile';
}

/** No connection came about, so no byte of the request left this machine. */
export class NothingWritten extends Error {
  override readonly name = 'NothingWritten';
  readonly code: string | undefined;
  constructor({ message, code }: NodeJS.ErrnoException) {
    super(message);
    this.code = code;
  }
}

/** Connections that came about. A request that has such a connection may have been written. */
const opened = new WeakSet<Socket>();

/** Whether the connection of a request has come about by now. TLS writes nothing of a request before its handshake is done. */
function watchOpening(sent: ClientRequest, isTls: boolean): () => boolean {
  let socket: Socket | undefined;
  sent.once('socket', (given) => {
    socket = given;
    if (!opened.has(given)) given.once(isTls ? 'secureConnect' : 'connect', () => opened.add(given));
  });
  return () => socket !== undefined && opened.has(socket);
}

/** The limit of time of one request. */
export interface Deadline {
  /** Sets what is done when the time is over. */
  whenOver(act: () => void): void;
  clear(): void;
}

/** How long an answer that is already in the socket has, after the time is over. */
const ONE_MORE_TURN = 50;

/**
 * After a pause of the whole process, timers run before sockets are read. So one more turn is given, and an answer that
 * is already in the socket is not thrown away.
 */
export function createDeadline(limit: number): Deadline {
  let act: (() => void) | undefined;
  let timer = setTimeout(() => {
    timer = setTimeout(() => act?.(), ONE_MORE_TURN);
  }, limit);
  return {
    whenOver(next) {
      act = next;
    },
    clear: () => clearTimeout(timer),
  };
}

/** The origin of an address, which has to be one of HTTP or HTTPS. */
export function wireOriginOf({ protocol, hostname, port }: URL): WireOrigin {
  const isTls = protocol === 'https:';
  if (!isTls && protocol !== 'http:') throw new Error(`nothing is sent to an address of ${protocol}`);
  return { isTls, hostname: hostname.replace(/^\[|\]$/g, ''), port };
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
    answer.once('end', () => {
      const [first] = parts;
      if (!answer.complete) reject(new Error('cut short'));
      else resolve(first && parts.length === 1 ? first : Buffer.concat(parts));
    });
    answer.once('close', () => {
      if (!answer.readableEnded) reject(new Error('the answer was cut short'));
    });
  });
}

interface Agents {
  isKept: boolean;
  plain: HttpAgent;
  secure: OutboundAgent;
}

const createAgents = (keepAlive: boolean, maxSockets: number): Agents => ({
  isKept: keepAlive,
  plain: new HttpAgent({ keepAlive, maxSockets }),
  secure: new OutboundAgent({ keepAlive, maxSockets }),
});

/**
 * The headers of a request whose connection ends with it. Node writes the head of a list before it can be told so, and would
 * promise to keep the connection.
 */
const sayingClose = (headers: WireRequest['headers']): WireRequest['headers'] =>
  Array.isArray(headers) ? [...(headers as readonly string[]), 'Connection', 'close'] : headers;

interface Attempt {
  to: WireOrigin;
  request: WireRequest;
  agents: Agents;
  deadline: Deadline;
}

function attempt({ to, request, agents, deadline }: Attempt): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const { isTls, hostname, port } = to;
    const { method, path, body } = request;
    const headers = agents.isKept ? request.headers : sayingClose(request.headers);
    const agent = isTls ? agents.secure : agents.plain;
    const options = { hostname, port, method, path, headers, agent };
    let isAnswered = false;
    const sent = (isTls ? requestHttps : requestHttp)(options, (head) => {
      isAnswered = true;
      wholeBody(head).then((whole) => resolve({ head, body: whole }), reject);
    });
    // Node hands a free connection to a request that waits for a place, also where connections are not kept.
    if (!agents.isKept) sent.shouldKeepAlive = false;
    const isOpened = watchOpening(sent, isTls);
    const fail = (error: NodeJS.ErrnoException) => reject(isOpened() ? error : new NothingWritten(error));
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      if (sent.reusedSocket && isClosed) reject(new ClosedMeanwhile(error.message));
      else fail(error);
    });
    // A connection that switches to another protocol closes without an error.
    sent.once('close', () => {
      if (!isAnswered) fail(new Error('no answer'));
    });
    deadline.whenOver(() => {
      const late = new Error('the request timed out');
      // A request that waits for a connection tells nobody that it was destroyed.
      fail(late);
      sent.destroy(late);
    });
    sent.end(body);
  });
}

interface SendRules {
  /**
   * Whether the request may be sent again after a kept connection turned out closed, although it may have been carried
   * out. Any other request has a connection of its own.
   */
  isRepeatable: boolean;
  /** In milliseconds. */
  limit: number;
}

/** Sends a request, and reads the whole answer. Throws when no whole answer came: `NothingWritten` where nothing was sent. */
export type Send = (to: WireOrigin, request: WireRequest, rules: SendRules) => Promise<WireAnswer>;

/** Sends over at most so many connections to one host at a time; separately for kept and single-use connections. */
export function createSend(maxSockets: number): Send {
  const [kept, single] = [createAgents(true, maxSockets), createAgents(false, maxSockets)];
  return async (to, request, { isRepeatable, limit }) => {
    const deadline = createDeadline(limit);
    try {
      return await attempt({ to, request, agents: isRepeatable ? kept : single, deadline });
    } catch (error) {
      if (!isRepeatable || !(error instanceof ClosedMeanwhile)) throw error;
      return await attempt({ to, request, agents: single, deadline });
    } finally {
      deadline.clear();
    }
  };
}
