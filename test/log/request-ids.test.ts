import { createServer } from 'node:http';
import { refuseAll } from '../../src/http/ops/refuse-all.ts';
import { connectApp, type Connected, exchangeForm, TOKEN_PATH } from '../endpoints/support/connected.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { sendBytes } from '../endpoints/support/knock.ts';
import { exchangeFields } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { portOf } from '../support/servers/free-port.ts';
import { until } from '../support/servers/held-answer.ts';

/** Every answer names its request. What the overload refuses is in overload-lines.test.ts. */

let door: Door;
let connected: Connected;

beforeAll(async () => {
  door = await openDoor();
  connected = await connectApp(door);
});

afterAll(() => door.stop());

const ID = /^[0-9a-f]{24}$/;

const bearer = () => ({ authorization: `Bearer ${connected.token}` });

test.each<[string, number, { path: string; method?: string; isKnown?: boolean }]>([
  ['an old call', 200, { path: '/1/profiles.json', isKnown: true }],
  ['a call without a token', 401, { path: '/1/profiles.json' }],
  ['an unknown old path', 404, { path: '/1/nothing.json' }],
  ['an old path with the wrong method', 405, { path: TOKEN_PATH }],
  ['an authorization request', 400, { path: '/oauth2/authorize' }],
  ['a hand-over', 405, { path: '/oauth2/exchange' }],
  ['the health', 200, { path: '/health' }],
  ['the readiness', 200, { path: '/ready' }],
  ['the metrics', 200, { path: '/metrics' }],
  ['the staff API', 401, { path: '/api/v1/apps' }],
  ['a page', 200, { path: '/lifecycle' }],
  ['the dates for programs', 200, { path: '/lifecycle.json' }],
  ['the head of a page', 200, { path: '/lifecycle', method: 'HEAD' }],
  ['a page that is not there', 404, { path: '/nothing' }],
  ['an address that cannot be read', 400, { path: '/apps/%zz' }],
  ['a page of staff', 303, { path: '/support' }],
])('%s (%i)', async (_kind, status, { path, method = 'GET', isKnown = false }) => {
  const headers = isKnown ? bearer() : {};
  const answer = await sendRaw(door.bridgeUrl, { path, method, headers });
  expect({ status: answer.status, id: answer.headers['x-request-id'] }).toEqual({
    status,
    id: expect.stringMatching(ID),
  });
});

test('a static file', async () => {
  const { text } = await sendRaw(door.bridgeUrl, { path: '/lifecycle' });
  const path = /(?:href|src)="(\/assets\/[^"]+)"/.exec(text)?.[1] ?? '';
  const { status, headers } = await sendRaw(door.bridgeUrl, { path });
  expect([status, headers['x-request-id']]).toEqual([200, expect.stringMatching(ID)]);
});

test('an exchange, refused and served', async () => {
  const code = await connected.mint();
  for (const [status, given] of [
    [400, 'no code'],
    [200, code],
  ] as const) {
    const answer = await exchangeForm(door, exchangeFields(door.app, given));
    expect([answer.status, answer.headers['x-request-id']]).toEqual([status, expect.stringMatching(ID)]);
  }
});

const MARK = '{"kept":true}';

test('a call on the short way', async () => {
  const { volatile } = door.bridge.context.store;
  const call = () => sendRaw(door.bridgeUrl, { path: '/1/user.json', headers: bearer() });
  // Only the short way answers with the mark.
  await until(async () => {
    await call();
    await volatile.updateTable('told_users').set({ text: MARK }).execute();
    const { text, headers } = await call();
    if (text !== MARK) return false;
    expect(headers['x-request-id']).toMatch(ID);
    return true;
  });
});

const NAMED = /^X-Request-Id: [0-9a-f]{24}\r$/m;

test.each([
  ['without Host', 400, ['Connection: close']],
  ['with an expectation that is not served', 417, ['Host: localhost', 'Expect: more', 'Connection: close']],
])('a request %s (%i)', async (_kind, status, lines) => {
  const received = await sendBytes(door, ['GET /1/user.json HTTP/1.1', ...lines, '', ''].join('\r\n'));
  expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(received).toMatch(NAMED);
});

test('the refusal of a process that ends', async () => {
  const server = createServer(refuseAll);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { status, headers } = await sendRaw(`http://127.0.0.1:${portOf(server)}`, { path: '/1/user.json' });
  server.close();
  expect([status, headers['x-request-id']]).toEqual([503, expect.stringMatching(ID)]);
});
