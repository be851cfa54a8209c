import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Runs work beside a server at a free port of this machine, and closes the server after it. */
export async function withServer<T>(server: Server, work: (url: string) => Promise<T>): Promise<T> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}
