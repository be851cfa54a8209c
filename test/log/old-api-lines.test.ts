import { connect } from 'node:net';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { connectApp } from '../endpoints/support/connected.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { CHANNEL } from '../posts/support/reader.ts';
import { scrape, sumOf } from '../metrics/support/scrape.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { mappingOf } from '../support/bridge/waiting-token.ts';
import { rawForm, type RawRequest, sendRaw } from '../support/callers/raw-request.ts';
import { until } from '../support/servers/held-answer.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';

/** A call that the old API has to answer: its lines and the metrics name the old API also where no answer comes. */

const PENDING = `/1/profiles/${CHANNEL}/updates/pending.json`;
const account: OldAccount = { tokens: [], user: { id: newHexId() }, profiles: [{ id: CHANNEL }] };
const log = logLines();
let old: OldBackend;
let door: Door;
let token: string;

beforeAll(async () => {
  old = await startOldBackend({ accounts: [account] });
  const env = { LEGACY_BACKEND_URL: old.url, LOG_REQUESTS: 'all' };
  door = await openDoor({ env, log: { level: 'info', stream: log.stream } });
  token = (await connectApp(door)).token;
  const { id } = (await mappingOf(door.bridge, token))!;
  const { durable } = door.bridge.context.store;
  await durable.updateTable('mappings').set({ source: 'imported' }).where('id', '=', id).execute();
});

beforeEach(async () => {
  account.tokens = [token];
  await old.setBehaviour('normal');
});

afterAll(async () => {
  await door.stop();
  await old.close();
});

const bearer = (given: string) => ({ authorization: `Bearer ${given}` });

/** The lines that a request leaves. */
async function linesOf(request: RawRequest) {
  const before = log.lines().length;
  const { status } = await sendRaw(door.bridgeUrl, request);
  await door.bridge.untilLogged();
  const lines = log.lines().slice(before);
  return { status, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

/** How many calls with this outcome each API had to answer. */
async function counted(outcome: string): Promise<Record<string, number>> {
  const samples = await scrape(door.bridgeUrl);
  const of = (by: string) => sumOf(samples, 'grantbridge_calls_total', { outcome, answered_by: by });
  return { old: of('old'), new: of('new'), bridge: of('bridge') };
}

test.each<[string, () => Record<string, string>]>([
  ['of a connected token', () => bearer(token)],
  ['of an unknown token', () => bearer(newLegacyToken())],
  ['without a token', () => ({})],
])(
  'while the old API is away, a call %s is told and counted as a failure of the old API',
  async (_, headers) => {
    const before = await counted('failed');
    await old.setBehaviour('down');
    const { status, lines } = await linesOf({ path: PENDING, headers: headers() });
    expect(status).toBe(503);
    expect(lines.filter(({ message }) => message === 'a legacy call failed')).toMatchObject([
      { answeredBy: 'old', status },
    ]);
    const named = lines.filter(({ mappingId }) => mappingId !== undefined);
    expect(named.filter(({ answeredBy }) => answeredBy !== 'old')).toEqual([]);
    await until(async () => (await counted('failed'))['old'] === (before['old'] ?? 0) + 1);
    expect(await counted('failed')).toMatchObject({ new: before['new'], bridge: before['bridge'] });
  },
);

test('a write whose answer is lost is one of the old API', async () => {
  await old.setBehaviour('reset');
  const request = { method: 'POST', ...rawForm('text=hi', bearer(token)), path: '/1/updates/create.json' };
  const { status, lines } = await linesOf(request);
  expect(status).toBe(500);
  expect(lines).toMatchObject([
    { message: 'a write was not done, or nobody knows', answeredBy: 'old' },
    { message: 'request', answeredBy: 'old' },
  ]);
});

test.each([
  ['answered', 'normal'],
  ['refused', { status: 404, body: '{}' }],
  ['limited', { status: 429, body: '{}' }],
  ['failed', { status: 500, body: '{}' }],
  ['failed', 'down'],
] as const)('a call to the old API is timed under its outcome: %s (%j)', async (outcome, behaviour) => {
  const timed = async () =>
    sumOf(await scrape(door.bridgeUrl), 'grantbridge_old_api_seconds_count', { outcome });
  const before = await timed();
  await old.setBehaviour(behaviour);
  await linesOf({ path: PENDING, headers: bearer(token) });
  expect(await timed()).toBe(before + 1);
});

test('a caller that leaves while the old API is silent has waited for the old API', async () => {
  await old.setBehaviour('slow');
  old.requests.length = 0;
  const { hostname, port } = new URL(door.bridgeUrl);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${PENDING} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await until(async () => old.requests.length > 0);
  socket.destroy();
  await until(async () => (await counted('hung_up'))['old'] === 1);
  const told = log.lines().length;
  old.hangUp();
  // The line of this call may not fall into the next test.
  await until(() => log.lines().length > told);
});

test('what the bridge itself refuses before it asks the old API is not counted as of the old API', async () => {
  const before = await counted('refused');
  const { status } = await linesOf({ path: PENDING, headers: bearer('a'.repeat(600)) });
  expect(status).toBe(401);
  await until(async () => (await counted('refused'))['bridge'] === (before['bridge'] ?? 0) + 1);
  expect(await counted('refused')).toMatchObject({ old: before['old'] });
});

test.each([
  ['an id', 'old-7f3a', 'old-7f3a'],
  ['an id that looks like a secret', 'a1'.repeat(20), '[redacted]'],
  ['a long text', 'id '.repeat(100), 'id '.repeat(100).slice(0, 100)],
])('the line of a call names the id that the old API gave its answer: %s', async (_, given, told) => {
  await old.setBehaviour({ status: 404, headers: ['x-request-ID', given], body: '{}' });
  const { lines } = await linesOf({ path: PENDING, headers: bearer(token) });
  expect(lines).toMatchObject([{ message: 'request', answeredBy: 'old', oldRequestId: told }]);
  expect(lines[0]?.['requestId']).toMatch(/^[0-9a-f]{24}$/);
});

// The last one: the token never goes back to the old API.
test('a call that the old API refuses and the new API then fails to answer is one of the new API', async () => {
  account.tokens = [];
  door.proxy.insteadOfOther = () => ({ status: 500, headers: {}, body: Buffer.from('') });
  const { status, lines } = await linesOf({ path: PENDING, headers: bearer(token) });
  door.proxy.insteadOfOther = undefined;
  expect(status).toBe(503);
  expect(lines.filter(({ status: told }) => told === 503)).toMatchObject([
    { message: 'a legacy call failed', answeredBy: 'new' },
    { message: 'request', answeredBy: 'new' },
  ]);
});
