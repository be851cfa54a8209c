import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { certificateFor } from './certificates.ts';
import { bodyOf, forward, send } from './forward.ts';
import { portOf } from './free-port.ts';

const OLD_HOSTS = ['api.bufferapp.com', 'bufferapp.com', 'api.buffer.com', 'buffer.com'];

export interface OldAddresses {
  /** For HTTPS_PROXY: every CONNECT ends at the local server, whatever host it names. */
  proxyUrl: string;
  tlsPort: number;
  /** Certificate of the authority to trust, PEM. */
  authority: string;
  /** `METHOD host path` of everything that came in by an old address. */
  seen: string[];
  close(): Promise<void>;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server);
}

/**
 * The old host names on this machine: a TLS server with a certificate for them that passes everything to the bridge,
 * and in front of it a CONNECT proxy for clients that know one.
 */
export async function serveOldAddresses(bridgeUrl: string): Promise<OldAddresses> {
  const { authority, ...certificate } = await certificateFor(OLD_HOSTS);
  const seen: string[] = [];
  const relay: RequestListener = (request, response) => {
    seen.push(`${request.method} ${request.headers.host} ${request.url?.split('?')[0]}`);
    bodyOf(request)
      .then((body) => forward(request, body, bridgeUrl))
      .then((answer) => send(response, answer))
      .catch(() => response.destroy());
  };
  const tls = createTlsServer(certificate, relay);
  const tlsPort = await listen(tls);
  const proxy = createServer().on('connect', (_request: IncomingMessage, client: Socket) => {
    const upstream = connect(tlsPort, '127.0.0.1', () =>
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n'),
    );
    upstream.on('error', () => client.destroy()).pipe(client);
    client.on('error', () => upstream.destroy()).pipe(upstream);
  });
  return {
    proxyUrl: `http://127.0.0.1:${await listen(proxy)}`,
    tlsPort,
    authority,
    seen,
    async close() {
      for (const server of [proxy, tls]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}
