import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen on a port');
  return address.port;
}

/** A loopback port that was free a moment ago: the issuer and PUBLIC_URL must be known before their servers listen. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}
