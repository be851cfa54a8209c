import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as takeTurn, setTimeout as delay } from 'node:timers/promises';
import type { TlsFiles } from '../shared/net/tls-pair.ts';
import { CONNECTION_LIMITS } from '../shared/net/connection-limits.ts';
import { CALLS_CUT_AFTER, SECOND } from '../shared/lifetimes.ts';
import { listenFailure } from '../shared/net/listen-failure.ts';
import type { Logger } from '../shared/log/logger.ts';
import { type Connections, trackConnections } from './connections.ts';
import { refuseAll } from './ops/refuse-all.ts';
import { createTlsServer } from './wire/tls-server.ts';

export interface ServerOptions {
  host: string;
  port: number;
  /** The bridge's own certificate. Without a certificate the server speaks plain HTTP, for loopback or a proxy. */
  tls: TlsFiles | undefined;
  logger: Logger;
}

export interface RunningServer {
  port: number;
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

const LOOK_EVERY = 20;

function createServer({ tls, logger }: ServerOptions): Server {
  return tls ? createTlsServer(tls, logger) : createHttpServer(CONNECTION_LIMITS);
}

/**
 * Waits for requests that callers sent before they knew of the stop. Closing a connection whose request lies unread in
 * the kernel would cut a call. So the event loop first reads every byte that has arrived.
 */
async function readWhatArrives(connections: Connections): Promise<void> {
  const wait = NEXT_REQUEST - connections.sinceInvitation();
  if (wait > 0) await delay(wait);
  await takeTurn();
  await takeTurn();
}

async function drain(server: Server, connections: Connections): Promise<number> {
  connections.sayClose();
  await readWhatArrives(connections);
  const cutAt = performance.now() + CALLS_CUT_AFTER;
  const closed = new Promise<boolean>((resolve) => server.close(() => resolve(true)));
  for (;;) {
    connections.closeIdle(FIRST_REQUEST);
    if (await Promise.race([closed, delay(LOOK_EVERY, false)])) return 0;
    if (performance.now() >= cutAt) return connections.cut();
  }
}

/** Passes each request to `app`, until `refuse` is called. */
function answerRequests(server: Server, app: RequestListener): { refuse(): void } {
  let answer = app;
  server.on('request', (req, res) => answer(req, res));
  return {
    refuse() {
      answer = refuseAll;
    },
  };
}

/** Serves `app`. @throws {Error} in plain words when the address or the certificate cannot be used */
export async function startServer(options: ServerOptions, app: RequestListener): Promise<RunningServer> {
  const server = createServer(options);
  const connections = trackConnections(server);
  const answering = answerRequests(server, app);
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, 'PORT', options)));
    server.listen(options.port, options.host, () => {
      const { port } = server.address() as AddressInfo;
      resolve({ ...answering, ...connections, port, close: () => drain(server, connections) });
    });
  });
}
