import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { CONNECTION_LIMITS } from '../shared/connection-limits.ts';
import { STOP_LIMIT } from '../shared/lifetimes.ts';
import { listenFailure } from '../shared/listen-failure.ts';

export interface ServerOptions {
  host: string;
  port: number;
  /** The bridge's own certificate; without one it serves plain HTTP, for loopback or a proxy. */
  tls: { certFile: string; keyFile: string } | undefined;
}

export interface RunningServer {
  port: number;
  /** Lets running calls finish, within a limit; then cuts what is left. */
  close(): Promise<void>;
}

function createServer({ tls }: ServerOptions, app: RequestListener): Server {
  if (!tls) return createHttpServer(CONNECTION_LIMITS, app);
  const pair = { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) };
  return createHttpsServer({ ...CONNECTION_LIMITS, ...pair, minVersion: 'TLSv1.2' }, app);
}

/** Connections that have not sent a request yet: Node does not count them as idle, and browsers open them ahead. */
function trackSilent(server: Server): Set<Socket> {
  const silent = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('data', () => silent.delete(socket));
    socket.once('close', () => silent.delete(socket));
  });
  return silent;
}

function drain(server: Server, silent: Set<Socket>): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), STOP_LIMIT);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
    for (const socket of silent) socket.destroy();
  });
}

/** Serves `app`. @throws {Error} in plain words when the address cannot be used */
export function startServer(options: ServerOptions, app: RequestListener): Promise<RunningServer> {
  const server = createServer(options, app);
  const silent = trackSilent(server);
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, 'PORT', options)));
    server.listen(options.port, options.host, () => {
      const { port } = server.address() as AddressInfo;
      resolve({ port, close: () => drain(server, silent) });
    });
  });
}
