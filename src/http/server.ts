import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as takeTurn, setTimeout as delay } from 'node:timers/promises';
import type { TlsFiles } from '../shared/net/tls-pair.ts';
import { CONNECTION_LIMITS } from '../shared/net/connection-limits.ts';
import { CALLS_CUT_AFTER, SECOND } from '../shared/lifetimes.ts';
import { listenFailure } from '../shared/net/listen-failure.ts';
import type { Logger } from '../shared/log/logger.ts';
import { limitConnections, tellOfTooMany } from './connection-room.ts';
import { type Connections, trackConnections } from './connections.ts';
import type { MessageClasses } from './message-classes.ts';
import { refuseAll } from './ops/refuse-all.ts';
import { newRequestId } from './request-id.ts';
import { BODY_LIMIT, LARGE_BODY_LIMIT } from './wire/body-limits.ts';
import { createTlsServer, type TlsServer } from './wire/tls-server.ts';
import { discardSlowly } from './wire/unreadable-body.ts';

export interface ServerOptions {
  host: string;
  port: number;
  /** The bridge's own certificate. Without a certificate the server speaks plain HTTP, for loopback or a proxy. */
  tls: TlsFiles | undefined;
  logger: Logger;
  /** What requests and answers are made of; without this, of Node's own classes. */
  messages?: MessageClasses;
}

export interface RunningServer {
  port: number;
  /** False while the files of the certificate were changed and are not usable; the earlier certificate serves then. */
  isCertificateUsable: () => boolean;
  /** From here on every answer says `Connection: close`; calls are accepted as before. */
  sayClose(): void;
  /** From here on every new call gets 503. */
  refuse(): void;
  /** Accepts no more connections and lets running calls finish, within a limit. Returns how many calls were cut. */
  close(): Promise<number>;
}

/** The next request of a busy caller may arrive up to this many milliseconds after an answer. */
const NEXT_REQUEST = 25;

/** A connection that is younger than this is about to send its first request. */
const FIRST_REQUEST = 1 * SECOND;

/** Callers that never cease to come get so many milliseconds more. */
const TAKES_IN_FOR = 1 * SECOND;

/** Where turns are long, as on a machine that is too busy, so many are taken all the same. */
const TAKES_IN_TURNS = 100;

const LOOK_EVERY = 20;

/**
 * How many connections the kernel holds until this process takes them in, which it does one at a time in each turn of the
 * event loop. Above this number the kernel drops what callers send, and each of them sends it again only after seconds. The
 * system may allow fewer (Linux: `net.core.somaxconn`).
 */
const WAITING_CONNECTIONS = 4096;

function createServer({ tls, logger, messages }: ServerOptions): TlsServer {
  // Node tells nobody of the requests that it refuses by itself, so no limit would count them.
  const options = { ...CONNECTION_LIMITS, ...messages, requireHostHeader: false };
  if (tls) return createTlsServer(tls, options, logger);
  return { server: createHttpServer(options), isCertificateUsable: () => true };
}

/**
 * Waits for calls that were made before their callers could know of the stop. To stop listening resets the connections
 * that the kernel holds for this process, and to close a connection whose request lies unread there would cut a call.
 * After a pause, as on a busy machine, there are many of both, and a turn of the event loop takes in only some of them.
 */
async function takeInWhatArrived(connections: Connections, cutAt: number): Promise<void> {
  const wait = NEXT_REQUEST - connections.sinceInvitation();
  if (wait > 0) await delay(wait);
  const until = performance.now() + TAKES_IN_FOR;
  let accepted: number;
  let turns = 0;
  let now: number;
  do {
    accepted = connections.accepted();
    await takeTurn();
    await takeTurn();
    turns += 2;
    now = performance.now();
  } while (connections.accepted() !== accepted && now < cutAt && (turns < TAKES_IN_TURNS || now < until));
}

async function drain(server: Server, connections: Connections): Promise<number> {
  const cutAt = performance.now() + CALLS_CUT_AFTER;
  connections.sayClose();
  await takeInWhatArrived(connections, cutAt);
  const closed = new Promise<boolean>((resolve) => server.close(() => resolve(true)));
  for (;;) {
    connections.closeIdle(FIRST_REQUEST);
    if (await Promise.race([closed, delay(LOOK_EVERY, false)])) return 0;
    if (performance.now() >= cutAt) return connections.cut();
  }
}

/** Whether a request may go on for long after it was answered. */
const hasLongBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > BODY_LIMIT;

/**
 * At `finish` Node reads as fast as it can what is left of a request that nobody reads. So somebody reads it before that
 * event.
 */
function discardRest(req: IncomingMessage, res: ServerResponse): void {
  res.once('prefinish', () => {
    if (!req.complete) discardSlowly(req);
  });
}

/** Behind another answer Node would keep the words for later, and then put them between the head and the body of the answer. */
function askForBody(res: ServerResponse): void {
  if (res.socket) res.writeContinue();
  else res.once('socket', () => !res.headersSent && res.writeContinue());
}

/** A request that Node would refuse by itself (RFC 9112 §3.2). */
const lacksHost = ({ httpVersion, headers }: IncomingMessage) =>
  httpVersion === '1.1' && headers.host === undefined;

/** Whoever asks first does not send a body that nobody may send. */
function answerExpectations(server: Server): void {
  server.on('checkContinue', (req, res) => {
    if (!lacksHost(req) && !(Number(req.headers['content-length']) > LARGE_BODY_LIMIT)) askForBody(res);
    server.emit('request', req, res);
  });
  server.on('checkExpectation', ({ socket }, res) => {
    if (!socket.destroyed) res.writeHead(417, newRequestId()).end();
  });
}

/** Passes each request to `app`, until `refuse` is called. */
function answerRequests(server: Server, app: RequestListener): { refuse(): void } {
  let answer = app;
  server.on('request', (req, res) => {
    // Its caller is gone, so nothing is begun for it.
    if (req.socket.destroyed) return;
    if (lacksHost(req)) return void res.writeHead(400, { Connection: 'close', ...newRequestId() }).end();
    if (hasLongBody(req)) discardRest(req, res);
    answer(req, res);
  });
  answerExpectations(server);
  return {
    refuse() {
      answer = refuseAll;
    },
  };
}

/** Serves `app`. @throws {Error} in plain words when the address or the certificate cannot be used */
export async function startServer(options: ServerOptions, app: RequestListener): Promise<RunningServer> {
  const { server, isCertificateUsable } = createServer(options);
  const connections = trackConnections(server, tellOfTooMany(options.logger));
  limitConnections(server, options.logger);
  const answering = answerRequests(server, app);
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, 'PORT', options)));
    server.listen({ port: options.port, host: options.host, backlog: WAITING_CONNECTIONS }, () => {
      const { port } = server.address() as AddressInfo;
      const close = () => drain(server, connections);
      resolve({ ...answering, ...connections, port, isCertificateUsable, close });
    });
  });
}
