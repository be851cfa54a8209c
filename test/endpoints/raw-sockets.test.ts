import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { json, rawForm } from '../support/callers/raw-request.ts';
import { testInProcess } from '../support/jest/test-mode.ts';
import { TOKEN_PATH } from './support/connected.ts';
import { type Door, openDoor } from './support/door.ts';
import { expectInvalidToken, expectRefusal } from './support/expectations.ts';
import { expectAlive, fastestWithin, knock, sendBytes } from './support/knock.ts';

/** docs/threats.md C72, C75 and D85: bytes that no HTTP client would send, slow senders, very long tokens. */

let door: Door;

beforeAll(async () => {
  door = await openDoor();
});

afterEach(() => expectAlive(door));

afterAll(() => door.stop());

const head = (...lines: string[]) =>
  [`POST ${TOKEN_PATH} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n');

const FORM = 'Content-Type: application/x-www-form-urlencoded';

test.each([
  ['both lengths', head('Content-Length: 5', 'Transfer-Encoding: chunked') + '0\r\n\r\n', 400],
  [
    'both lengths, the other way round',
    head('Transfer-Encoding: chunked', 'Content-Length: 5') + '0\r\n\r\n',
    400,
  ],
  ['an obscured transfer coding', head('Transfer-Encoding: xchunked') + '0\r\n\r\n', 400],
  ['a bad chunk', head(FORM, 'Transfer-Encoding: chunked') + 'ZZ\r\nabc\r\n', 400],
  ['two lengths', head('Content-Length: 5', 'Content-Length: 6') + 'abcde', 400],
  ['a negative length', head('Content-Length: -1'), 400],
  ['a header without a colon', head('Broken header'), 400],
  ['a space before the colon', head('Content-Length : 0'), 400],
  ['a folded header', head('X-A: a', ' folded: b').replace('\r\n folded', '\n folded'), 400],
  ['a NUL in a header', head('X-A: a\0b'), 400],
  ['20 kB of headers', head(`X-Long: ${'x'.repeat(20_000)}`), 431],
  ['an address of 20 kB', `GET /1/user.json?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
  ['no HTTP at all', '\u0016\u0003\u0001\u0002\r\n\r\n', 400],
  ['no Host', `GET /1/user.json HTTP/1.1\r\n\r\n`, 400],
])('row C72 %s closes the connection', async (_case, bytes, status) => {
  const received = await sendBytes(door, bytes);
  expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(received).not.toMatch(/access_token"|\bat .+:\d+/);
});

/** The HTTP server of this bridge among the open handles of the process; the Bridge object does not show it. */
function serverOf({ bridgeUrl }: Door): Server {
  const { _getActiveHandles: handles } = process as unknown as { _getActiveHandles: () => object[] };
  const servers = handles().filter((handle): handle is Server => 'requestTimeout' in handle);
  const found = servers.find((server) => {
    const address = server.address();
    return typeof address === 'object' && String(address?.port) === new URL(bridgeUrl).port;
  });
  if (!found) throw new Error('no server listens on the port of the bridge');
  return found;
}

testInProcess(
  'row C75 a request has 30 s and its headers 15 s, which are lower than the defaults of Node',
  () => {
    expect(serverOf(door)).toMatchObject({ requestTimeout: 30_000, headersTimeout: 15_000 });
  },
);

test('row C75 slow senders of headers and bodies hold nobody else up', async () => {
  const { hostname, port } = new URL(door.bridgeUrl);
  const starts = [head(FORM, 'Content-Length: 1000'), `GET /1/user.json HTTP/1.1\r\nX-Slow: `];
  const slow = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.on('error', () => undefined).write(starts[n % 2] ?? '');
      return socket;
    }),
  );
  for (let round = 0; round < 5; round++) {
    for (const socket of slow) socket.write('x');
    await knock(door, { path: '/1/user.json' });
  }
  for (const socket of slow) socket.destroy();
  await Promise.all(slow.filter(({ closed }) => !closed).map((socket) => once(socket, 'close')));
});

test('row D85 a token of 1,000,000 characters is refused in the header', async () => {
  const line = `Authorization: Bearer ${'x'.repeat(1_000_000)}`;
  const received = await sendBytes(door, `GET /1/user.json HTTP/1.1\r\nHost: localhost\r\n${line}\r\n\r\n`);
  expect(received).toMatch(/^HTTP\/1\.1 431 /);
});

test.each(['/1/user.json', '/1/profiles.json'])(
  'row D85 a body of 1,000,000 characters is 413 at %s',
  async (path) => {
    const content = rawForm(`access_token=${'x'.repeat(1_000_000)}`);
    expectRefusal(await knock(door, { method: 'POST', path, ...content }), 413, 413);
  },
);

test.each<[string, string]>([
  ['letters', 'x'.repeat(200_000)],
  ['spaces', ' '.repeat(200_000) + 'x'],
  ['slashes', '1/'.repeat(100_000)],
  ['letters beyond ASCII', '\u00e9'.repeat(20_000)],
])('row D85 a long token of %s is refused within 50 ms', async (_case, token) => {
  const ask = async () =>
    expectInvalidToken(
      await knock(door, { method: 'POST', path: '/1/user.json', ...json({ access_token: token }) }),
    );
  expect(await fastestWithin(50, ask)).toBeLessThan(50);
});

test('row D85 a long header value of spaces or schemes is read within 50 ms', async () => {
  for (const authorization of [
    `Bearer${' '.repeat(12_000)}x`,
    'Bearer '.repeat(1700),
    `${'a'.repeat(12_000)} x`,
  ]) {
    const ask = () => knock(door, { path: '/1/user.json', headers: { authorization } });
    expect(await fastestWithin(50, ask)).toBeLessThan(50);
  }
});
