import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { safeFetch } from '../../src/upstream/company/safe-fetch.ts';

/** The code of a company sign-in works once, so the request that holds it is sent once, whatever becomes of it. */

let provider: Server;
let url: string;
const came: string[] = [];

beforeAll(async () => {
  provider = createServer(({ method = '', socket }, res) => {
    came.push(method);
    if (method === 'POST') socket.destroy();
    else res.end('{}');
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`;
});

afterAll(() => {
  provider.closeAllConnections();
  provider.close();
});

test('it is not sent again where its connection closes without an answer', async () => {
  // A connection is kept from here on.
  expect((await safeFetch(url, { method: 'GET', headers: {} })).status).toBe(200);
  const exchange = safeFetch(url, { method: 'POST', headers: {}, body: 'code=x' });
  await expect(exchange).rejects.toThrow('the identity provider does not answer');
  expect(came).toEqual(['GET', 'POST']);
});
