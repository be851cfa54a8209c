import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSend, type WireOrigin } from '../../src/upstream/wire/kept-connections.ts';

/** A request that may not be repeated could be lost with a connection that the peer has just closed. */

let server: Server;
let to: WireOrigin;
const ports: Array<number | undefined> = [];
const said: Array<string | undefined> = [];

beforeAll(async () => {
  server = createServer(({ socket, headers }, res) => {
    ports.push(socket.remotePort);
    said.push(headers.connection);
    res.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  to = { isTls: false, hostname: '127.0.0.1', port: `${(server.address() as AddressInfo).port}` };
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test.each([
  ['a table', {}],
  ['a list', ['Host', 'old.example', 'Content-Length', '1']],
])('requests that wait for a place have a connection each, with headers as %s', async (_which, headers) => {
  const send = createSend(1);
  ports.length = said.length = 0;
  const rules = { isRepeatable: false, limit: 10_000 };
  const request = { method: 'POST', path: '/', headers, body: 'x' };
  await Promise.all([1, 2, 3].map(() => send(to, request, rules)));
  expect(new Set(ports).size).toBe(3);
  expect(said).toEqual(['close', 'close', 'close']);
});
