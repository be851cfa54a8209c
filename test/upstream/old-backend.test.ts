import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { createOldBackend } from '../../src/upstream/old-backend.ts';
import { AnswerLost } from '../../src/upstream/outcomes.ts';
import { silencedOldBackend } from '../../src/upstream/silence.ts';
import { portOf } from '../support/servers/free-port.ts';
import { until } from '../support/servers/held-answer.ts';
import { type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';

/** The client of the old backend alone: its limits and its connections. */

const TOKEN = `1/${'a1'.repeat(16)}`;
const USER = { id: '4f0c0a06512f7ef214000000' };
const READ = { method: 'GET', target: '/1/user.json', isRead: true };

let old: OldBackend;

beforeAll(async () => {
  old = await startOldBackend({ accounts: [{ tokens: [TOKEN], user: USER }] });
});

beforeEach(async () => {
  old.requests.length = 0;
  await old.setBehaviour('normal');
});

afterAll(() => old.close());

test('a backend that says nothing is given up in time', async () => {
  await old.setBehaviour('slow');
  const started = performance.now();
  // Long enough that a slow machine has connected and sent: that no request comes twice is seen from what comes.
  const backend = createOldBackend(old.url, 1000);
  for (const method of ['GET', 'POST'])
    await expect(
      backend.pass({ method, target: '/1/user.json', rawHeaders: [], body: Buffer.alloc(0) }),
    ).rejects.toMatchObject({ name: 'Unavailable' });
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(old.requests).toHaveLength(2);
});

test('calls of strangers that hang take neither from known tokens nor from what the bridge asks itself', async () => {
  await old.setBehaviour('slow');
  const backend = createOldBackend(old.url, 20_000);
  const passed = { ...READ, rawHeaders: [], body: Buffer.alloc(0) };
  const strange = Array.from({ length: 20 }, (_, n) =>
    backend
      .pass({ ...passed, method: n % 2 === 0 ? 'GET' : 'POST', sender: 'stranger' })
      .catch((error: unknown) => error),
  );
  await until(() => old.requests.length >= 16);
  await old.setBehaviour('normal');
  expect((await backend.pass(passed)).status).toBe(401);
  expect(await backend.read('/1/user.json', TOKEN)).toMatchObject({ id: USER.id });
  for (const refused of await Promise.all(strange.slice(16)))
    expect(refused).toMatchObject({ name: 'Unavailable', retryAfter: expect.any(Number) });
  expect(old.requests).toHaveLength(18);
  old.hangUp();
  await Promise.all(strange);
  expect(await backend.pass({ ...passed, sender: 'stranger' })).toMatchObject({ status: 401 });
});

test('a restored copy asks the old backend for nothing', async () => {
  const silent = silencedOldBackend(createOldBackend(old.url), () => 'a copy');
  const passed = { ...READ, rawHeaders: [], body: Buffer.alloc(0) };
  const attempts = [silent.pass(passed), silent.read('/1/user.json', TOKEN), silent.deauthorize(TOKEN)];
  for (const attempt of await Promise.allSettled(attempts))
    expect(attempt).toMatchObject({ status: 'rejected', reason: { name: 'Unavailable' } });
  expect(old.requests).toHaveLength(0);
});

test('reads share connections, what may not be repeated has one of its own', async () => {
  const backend = createOldBackend(old.url);
  const before = old.connections();
  const pass = (call: { method: string; target: string; isRead?: boolean }) =>
    backend.pass({ ...call, rawHeaders: ['Authorization', `Bearer ${TOKEN}`], body: Buffer.alloc(0) });
  for (let round = 0; round < 3; round++) await pass(READ);
  expect(old.connections() - before).toBe(1);
  await pass({ method: 'POST', target: '/1/updates/create.json' });
  await pass({ method: 'POST', target: '/1/updates/create.json' });
  expect(old.connections() - before).toBe(3);
});

test('a document is read, a refused token has none, and anything else is no answer', async () => {
  const backend = createOldBackend(old.url);
  expect(await backend.read('/1/user.json', TOKEN)).toEqual({ _id: USER.id, id: USER.id });
  expect(await backend.read('/1/profiles.json', '1/unknown')).toBeUndefined();
  for (const behaviour of [
    { status: 200, body: '<html>' },
    { status: 302 },
    { status: 500 },
    'cut',
  ] as const) {
    await old.setBehaviour(behaviour);
    await expect(backend.read('/1/user.json', TOKEN)).rejects.toMatchObject({ name: 'Unavailable' });
  }
});

test('a kept connection that turns out closed costs a read nothing; what may have been done is not sent again', async () => {
  const seen: string[] = [];
  const used = new WeakSet<Socket>();
  const server = createServer((req, res) => {
    seen.push(`${req.method} ${req.url}`);
    const isClosedMeanwhile = used.has(req.socket) || req.method === 'POST';
    used.add(req.socket);
    if (isClosedMeanwhile) req.socket.resetAndDestroy();
    else res.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const backend = createOldBackend(`http://127.0.0.1:${portOf(server)}`);
  const pass = (call: { method: string; target: string; isRead?: boolean }) =>
    backend.pass({ ...call, rawHeaders: [], body: Buffer.alloc(0) });
  for (let round = 0; round < 2; round++) expect(await pass(READ)).toMatchObject({ status: 200 });
  expect(seen).toEqual(['GET /1/user.json', 'GET /1/user.json', 'GET /1/user.json']);
  seen.length = 0;
  await expect(pass({ method: 'POST', target: '/1/updates/create.json' })).rejects.toThrow(AnswerLost);
  const ending = { method: 'GET', target: '/1/user/deauthorize.json' };
  for (let round = 0; round < 2; round++) expect(await pass(ending)).toMatchObject({ status: 200 });
  expect(seen).toHaveLength(3);
  server.closeAllConnections();
  server.close();
});

/** What accepts connections and says nothing, or ends them at once. */
async function startMute(isEnding: boolean) {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    if (isEnding) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

test.each([
  ['ends', true],
  ['does not end', false],
])('a TLS handshake that fails and %s has sent nothing', async (_how, isEnding) => {
  const server = await startMute(isEnding);
  const backend = createOldBackend(`https://127.0.0.1:${portOf(server)}`, 300);
  const body = Buffer.from('text=hi');
  const lost = backend.pass({ method: 'POST', target: '/1/updates/create.json', rawHeaders: [], body });
  const error: unknown = await lost.catch((cause: unknown) => cause);
  expect(error).toMatchObject({ name: 'Unavailable', message: 'the old API could not be reached' });
  expect(error).not.toBeInstanceOf(AnswerLost);
  server.close();
});
