import { once } from 'node:events';
import { createServer } from 'node:net';
import { openStore } from '../../src/store/driver/open-store.ts';
import { freePort, portOf } from '../support/servers/free-port.ts';

/** A PostgreSQL server that cannot be reached is reported in words of the bridge, by the name of its setting. */

const refusalOf = (host: string) =>
  openStore({ kind: 'postgres', url: `postgres://user:hush7Yq@${host}/name?sslmode=disable` }).then(
    () => 'opened',
    ({ message }: Error) => message,
  );

const UNREACHED = 'DATABASE_URL: the server cannot be reached:';

test('a port at which nothing listens', async () => {
  const refused =
    'nothing listens at the address: the server is stopped, or the port is wrong (ECONNREFUSED)';
  const port = await freePort();
  for (const host of ['127.0.0.1', 'localhost'])
    expect(await refusalOf(`${host}:${port}`)).toBe(`${UNREACHED} ${refused}`);
});

test('a host name that no name server knows', async () => {
  const unknown =
    /^DATABASE_URL: the server cannot be reached: (no|the) name server .* \((ENOTFOUND|EAI_AGAIN)\)$/;
  expect(await refusalOf('no..name')).toMatch(unknown);
});

test('a server that closes each connection at once', async () => {
  const server = createServer((socket) => void socket.on('error', () => undefined).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  expect(await refusalOf(`127.0.0.1:${portOf(server)}`)).toMatch(
    /^DATABASE_URL: the server cannot be reached: the server closed the connection without an answer/,
  );
  server.close();
});
