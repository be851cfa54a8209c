import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { createBridgeApp } from '../../../src/http/app.ts';
import { newLegacyToken } from '../../../src/shared/ids.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { setDate } from '../../../src/store/lifecycle/lifecycle-dates.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { addWaitingToken } from '../../support/bridge/waiting-token.ts';
import { until } from '../../support/servers/held-answer.ts';
import { portOf } from '../../support/servers/free-port.ts';

/**
 * The most frequent reads go around the router of Express (src/http/legacy/direct-calls.ts). Of these, a plain
 * profiles.json or user.json and the first page of a list take a shorter way yet (src/http/legacy/plain/plain-calls.ts). No caller can
 * tell: every byte but the time is the same.
 */

let system: System;
let token: string;
let waiting: string;
let profile: string;
let ways: Array<{ port: number; stop: () => Promise<unknown> }>;

async function serve(listener: RequestListener): Promise<(typeof ways)[number]> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: portOf(server), stop: async () => server.close() };
}

beforeAll(async () => {
  system = await startSystem();
  token = await issueToken(system);
  ({ token: waiting } = await addWaitingToken(system.bridge, { clientId: system.app.clientId }));
  const [first] = (await read(system, '/1/profiles.json', token)).json as Array<{ id: string }>;
  profile = first?.id ?? '';
  const { context } = system.bridge;
  const options = { context, rateLimitPerMinute: 0, trustProxy: ['192.0.2.1'] };
  // The short way of plain calls (src/http/legacy/plain/plain-calls.ts) leaves a call that is logged to the other ways.
  const { app, answer: directly } = createBridgeApp({ ...options, logRequests: 'all' });
  const { answer: plainly } = createBridgeApp({ ...options, logRequests: 'errors' });
  ways = await Promise.all([serve(app), serve(directly), serve(plainly)]);
  await keepTexts();
});

/** Calls on the short way until the texts of `profiles.json`, of `user.json` and of both lists are kept. */
async function keepTexts(): Promise<void> {
  const { volatile } = system.bridge.context.store;
  const lists = ['pending', 'sent'].map((list) => `/1/profiles/${profile}/updates/${list}.json`);
  await until(async () => {
    for (const target of ['/1/profiles.json', '/1/user.json', ...lists])
      await sendBytes(ways[2]?.port ?? 0, bytesOf({ method: 'GET', target, headers: [bearer(token)] }));
    const [users, texts] = await Promise.all([
      volatile.selectFrom('told_users').select('grant_id').execute(),
      volatile.selectFrom('told_lists').select('id').execute(),
    ]);
    return users.length === 1 && texts.length === 2;
  });
}

afterAll(async () => {
  await Promise.all(ways.map(({ stop }) => stop()));
  await system.stop();
});

/** Everything that a server sends to these bytes, without what differs from answer to answer. */
function sendBytes(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    let received = '';
    socket.setEncoding('latin1').on('data', (part) => (received += part));
    socket.once('error', reject);
    socket.once('close', () =>
      resolve(received.replaceAll(/^(Date|X-Request-Id): .*$/gm, '$1:').replaceAll(/:\d{5}\//g, ':/')),
    );
  });
}

interface Call {
  method: string;
  target: string;
  headers?: string[];
  body?: string;
}

function bytesOf({ method, target, headers = [], body }: Call): string {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    ...headers,
    ...length,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

const TARGETS = [
  '/1/profiles.json',
  '/1/profiles',
  '/1/user.json',
  '/1/user',
  '/1/info/configuration.json',
  '/1/profiles.xml',
  '/1/profiles/',
  '//1//profiles.json',
  '/1/Profiles.json',
  '/1/profiles.json#part',
  'http://other.example/1/profiles.json',
  '/1/profiles.json?subprofiles=1',
  '/1/profiles.json?%',
];

const OTHER = '0123456789abcdef01234567';

/** The same with the ids of a profile of the account, and of nothing. */
const withIds = () =>
  [
    '/1/profiles/:id.json',
    '/1/profiles/:id',
    '/1/profiles/:id.xml',
    '/1/profiles/:id/',
    '/1/profiles/:id/updates/pending.json',
    '/1/profiles/:id/updates/sent',
    '/1/profiles/:id/updates/pending.json?page=0&count=20',
    '/1/profiles/:id/updates/pending.json?page=2',
    '/1/profiles/:id/updates/pending.json?page=01&%63ount=020&COUNT=3',
    '/1/profiles/:id/updates/sent.json?count[]=2',
    '/1/profiles/:id/updates/sent.json?since=1970-01-01&utc=yes',
    '/1/profiles/:id/updates/pending.json?access_token=x&filter=none',
    '/1/profiles/:id/updates/sent.json?count=2&utc=1',
    '/1/profiles/:id/updates/pending.json?since=x',
    '/1/profiles/:id/updates/reorder.json',
    '/1/profiles/:id/schedules.json',
    '/1/profiles/:id/nothing.json',
    '/1/profiles/:other.json',
    '/1/profiles/not-an-id/updates/sent.json',
    '/1/profiles/%30123456789abcdef01234567/updates/sent.json',
    '/1/profiles/0123456789ABCDEF01234567.json',
    '/1/updates/:other/interactions.json',
    '/1/updates/create.json',
  ].map((target) => target.replace(':id', profile).replace(':other', OTHER));

const FORM = 'Content-Type: application/x-www-form-urlencoded';

const bearer = (value: string) => `Authorization: Bearer ${value}`;

/** Where a call may carry its token, right and wrong. */
function carriers(): Record<string, Omit<Call, 'method' | 'target'> & { query?: string }> {
  return {
    nothing: {},
    header: { headers: [bearer(token)] },
    'an older header': { headers: [`authorization: OAuth ${token}`] },
    query: { query: `access_token=${encodeURIComponent(token)}` },
    'another token in the query': { headers: [bearer(token)], query: `access_token=${newLegacyToken()}` },
    'two headers': { headers: [bearer(token), bearer(waiting)] },
    'a form': { headers: [FORM], body: `access_token=${encodeURIComponent(token)}` },
    'a form and a header': { headers: [FORM, bearer(token)], body: 'x=1' },
    JSON: { headers: ['Content-Type: application/json'], body: JSON.stringify({ access_token: token }) },
    'broken JSON': { headers: ['Content-Type: application/json'], body: '{' },
    'a body that is said to be packed': { headers: [FORM, 'Content-Encoding: gzip'], body: 'plain' },
    'an unknown coding': { headers: [FORM, 'Content-Encoding: none-such'], body: 'access_token=1' },
    'an unknown token': { headers: [bearer('1/0123456789abcdef0123456789abcdef')] },
    'a waiting token': { headers: [bearer(waiting)] },
    'an upgrade': { headers: [bearer(token), 'Upgrade: h2c'] },
    'a proxy that is not trusted': { headers: [bearer(token), 'X-Forwarded-Proto: http'] },
  };
}

const withQuery = (target: string, query: string | undefined) =>
  query === undefined ? target : `${target}${target.includes('?') ? '&' : '?'}${query}`;

async function expectSame(call: Call): Promise<string> {
  const [byRouter, directly, plainly] = await Promise.all(
    ways.map(({ port }) => sendBytes(port, bytesOf(call))),
  );
  expect({ call, answer: directly }).toEqual({ call, answer: byRouter });
  expect({ call, answer: plainly }).toEqual({ call, answer: byRouter });
  return plainly ?? '';
}

async function expectAllSame(
  method: string,
  { targets = TARGETS, names = Object.keys(carriers()) } = {},
): Promise<Set<string>> {
  const statuses = new Set<string>();
  for (const [, { query, ...carried }] of Object.entries(carriers()).filter(([name]) => names.includes(name)))
    for (const target of targets) {
      const answer = await expectSame({ method, target: withQuery(target, query), ...carried });
      statuses.add(answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    }
  return statuses;
}

/** Of methods that only the router answers: what differs for them is the address and whether there is a token. */
const FEW = ['nothing', 'header', 'a form'];

test.each(['GET', 'POST', 'HEAD', 'PUT', 'OPTIONS'])('%s is answered alike on all ways', async (method) => {
  const statuses = await expectAllSame(method, ['GET', 'POST'].includes(method) ? {} : { names: FEW });
  expect(statuses.size).toBeGreaterThan(1);
  if (method === 'GET')
    expect([...statuses]).toEqual(expect.arrayContaining(['200', '400', '401', '404', '406']));
});

test.each(['GET', 'POST', 'HEAD', 'DELETE'])(
  '%s of an address with an id is answered alike',
  async (method) => {
    const more = ['query', 'two headers', 'an unknown token', 'a waiting token'];
    const names = ['GET', 'POST'].includes(method) ? [...FEW, ...more] : FEW;
    const statuses = await expectAllSame(method, { targets: withIds(), names });
    if (method === 'GET')
      expect([...statuses]).toEqual(expect.arrayContaining(['200', '400', '401', '404', '405', '406']));
  },
);

test('the dates of the old API, and its end, are told alike on all ways', async () => {
  const { lifecycle, store, clock } = system.bridge.context;
  const headers = [`Authorization: Bearer ${token}`];
  const call = { method: 'GET', target: '/1/profiles.json', headers };
  const tell = async (name: 'deprecation' | 'sunset', at: number) => {
    await setDate(store.durable, { name, at, changed_at: clock.now(), changed_by: 'test' });
    await lifecycle.refresh();
  };
  await tell('deprecation', clock.now() - DAY);
  expect(await expectSame(call)).toMatch(/^HTTP.1.1 200 OK[^]*Deprecation: @/);
  await tell('sunset', clock.now() - 1);
  expect(await expectSame(call)).toMatch(/^HTTP.1.1 410 Gone/);
});
