import { once } from 'node:events';
import { connect } from 'node:net';
import { exchangeFields } from '../support/callers/legacy-calls.ts';
import { rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { until } from '../support/servers/held-answer.ts';
import { TOKEN_PATH } from '../endpoints/support/connected.ts';
import {
  type HeardDoor,
  openHeardDoor,
  PARENT_ID,
  partsOf,
  TRACE_ID,
  TRACEPARENT,
} from './support/heard-door.ts';

/** docs/threats.md F161 and F162: what a caller sends as its trace, and nothing of it is taken over but what is in order. */

let heard: HeardDoor;

beforeAll(async () => {
  heard = await openHeardDoor();
});

beforeEach(() => heard.lines());

afterAll(() => heard.door.stop());

const lastRead = () => heard.door.proxy.readings().at(-1)?.headers ?? {};

async function expectNoTrace(): Promise<void> {
  expect(Object.keys(lastRead())).not.toEqual(expect.arrayContaining(['traceparent']));
  expect(Object.keys(lastRead())).not.toEqual(expect.arrayContaining(['tracestate']));
  expect(JSON.stringify(await heard.lines())).not.toContain('traceId');
}

const HOSTILE: Array<[name: string, traceparent: string]> = [
  ['empty', ''],
  ['no trace at all', 'x'],
  ['of the version that is none', `ff-${TRACE_ID}-${PARENT_ID}-01`],
  ['with capitals', TRACEPARENT.toUpperCase()],
  ['with a trace of zeros', `00-${'0'.repeat(32)}-${PARENT_ID}-01`],
  ['with a parent of zeros', `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
  ['with more behind it', `${TRACEPARENT}-more`],
  ['with a character more', `${TRACEPARENT}0`],
  ['cut short', TRACEPARENT.slice(0, -1)],
  ['twice in one', `${TRACEPARENT}, ${TRACEPARENT}`],
  ['of a later version, twice in one', `01${TRACEPARENT.slice(2)}, ${TRACEPARENT}`],
  ['with letters that are no digits', `00-${'g'.repeat(32)}-${PARENT_ID}-01`],
  ['with a blank inside', `00-${TRACE_ID} ${PARENT_ID}-01`],
  ['with 8 kB', `00-${TRACE_ID}-${PARENT_ID}-01${'a'.repeat(8000)}`],
  ['with bytes beyond ASCII', `00-${TRACE_ID}-${PARENT_ID}-0\u00e9`],
];

test.each(HOSTILE)(
  'row F161 a traceparent %s goes nowhere, and the call is answered',
  async (_, traceparent) => {
    const { status } = await heard.call({ traceparent, tracestate: 'a=1' });
    expect(status).toBe(200);
    await expectNoTrace();
  },
);

test('row F161 two traceparent headers are none', async () => {
  const { hostname, port } = new URL(heard.door.bridgeUrl);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (part: Buffer) => (answer += part.toString()));
  const trace = `traceparent: ${TRACEPARENT}`;
  const lines = ['GET /1/user.json HTTP/1.1', 'host: x', `authorization: Bearer ${heard.connected.token}`];
  socket.write(`${[...lines, trace, trace, 'connection: close'].join('\r\n')}\r\n\r\n`);
  await until(() => answer.startsWith('HTTP/1.1 200'));
  await expectNoTrace();
});

const members = (count: number) => Array.from({ length: count }, (_, n) => `k${n}=v`).join(',');

const STATES: Array<[name: string, tracestate: string]> = [
  ['with 33 members', members(33)],
  ['with more than 512 characters', `a=${'v'.repeat(200)},b=${'v'.repeat(200)},c=${'v'.repeat(200)}`],
  ['with a key twice', 'a=1,b=2,a=3'],
  ['with a key in capitals', 'Vendor=1'],
  ['without a value', 'a='],
  ['without a key', '=1'],
  ['with an equals sign in a value', 'a=b=c'],
  ['with a tab in a value', 'a=b\tc'],
  ['with 8 kB', `a=${'v'.repeat(8000)}`],
  ['of commas alone', ',,,,'],
];

test.each(STATES)('row F161 a tracestate %s goes nowhere; the trace goes on', async (_, tracestate) => {
  await heard.call({ traceparent: TRACEPARENT, tracestate });
  expect(partsOf(lastRead()['traceparent']).traceId).toBe(TRACE_ID);
  expect(lastRead()).not.toHaveProperty('tracestate');
});

test('row F161 a tracestate alone goes nowhere; one of 32 members goes on', async () => {
  await heard.call({ tracestate: 'a=1' });
  expect(lastRead()).not.toHaveProperty('tracestate');
  await heard.call({ traceparent: TRACEPARENT, tracestate: members(32) });
  expect(lastRead()['tracestate']).toBe(members(32));
});

const SECRET = 'b6a1f0c94d2e87735a0c1d9e4f8b2a61';

/** The digits of a token are as long as a trace id, and of the same kind. */
const digitsOf = (credential: string) => credential.replace(/^1\//, '');

const traceOf = (traceId: string) => ({ traceparent: `00-${traceId}-${PARENT_ID}-01` });

const tokenPlaces = ['header', 'address', 'body'] as const;

test.each(tokenPlaces)('row F162 the token in the %s of a call is no trace of it', async (place) => {
  const { token } = heard.connected;
  const trace = traceOf(digitsOf(token));
  const form = `access_token=${encodeURIComponent(token)}`;
  const without = { authorization: '' };
  if (place === 'header') await heard.call(trace);
  else if (place === 'address') await heard.call({ ...trace, ...without }, { path: `/1/user.json?${form}` });
  else {
    const { headers, body } = rawForm(form, { ...trace, ...without });
    await heard.call(headers, { method: 'POST', path: '/1/user.json', body: body ?? '' });
  }
  const lines = JSON.stringify(await heard.lines());
  expect(lines).toContain('"message":"request"');
  expect(lines).not.toContain(digitsOf(token));
  expect(lastRead()).not.toHaveProperty('traceparent');
});

const escapeOf = (digit: string) => `%${digit.charCodeAt(0).toString(16)}`;

test('row F162 a token whose digits are escaped in the address is no trace of its call', async () => {
  const digits = digitsOf(heard.connected.token);
  const path = `/1/user.json?access_token=1%2F${digits.replace(/./g, escapeOf)}`;
  const { status } = await heard.call({ ...traceOf(digits), authorization: '' }, { path });
  expect(status).toBe(200);
  expect(JSON.stringify(await heard.lines())).not.toContain(digits);
  expect(lastRead()).not.toHaveProperty('traceparent');
});

async function expectNotWritten(digits: string): Promise<void> {
  const lines = JSON.stringify(await heard.lines());
  expect(lines).toContain('"message":"request"');
  expect(lines).not.toContain(digits);
}

test('row F162 a token in an address with a broken escape is no trace of a refused call', async () => {
  const digits = digitsOf(heard.connected.token);
  const path = `/1/user.json?x=%&access_token=1%2F${digits.replace(/./g, escapeOf)}`;
  const { status } = await heard.call({ ...traceOf(digits), authorization: `Bearer 1/${SECRET}` }, { path });
  expect(status).toBe(400);
  await expectNotWritten(digits);
});

test('row F162 a token in a second header is no trace of a refused call', async () => {
  const digits = digitsOf(heard.connected.token);
  const { hostname, port } = new URL(heard.door.bridgeUrl);
  const socket = connect(Number(port), hostname);
  const answered = once(socket, 'data');
  const given = [`1/${SECRET}`, heard.connected.token].map((token) => `authorization: Bearer ${token}`);
  const lines = [
    'GET /1/user.json HTTP/1.1',
    'host: x',
    ...given,
    `traceparent: ${traceOf(digits).traceparent}`,
  ];
  socket.write(`${[...lines, 'connection: close'].join('\r\n')}\r\n\r\n`);
  expect(String(await answered)).toMatch(/^HTTP\/1\.1 400 /);
  await expectNotWritten(digits);
});

test('row F162 the first half of a token as the parent in a trace is no trace of its call', async () => {
  const half = digitsOf(heard.connected.token).slice(0, 16);
  await heard.call({ traceparent: `00-${TRACE_ID}-${half}-01` });
  await expectNoTrace();
});

const basic = (secret: string) => Buffer.from(`client:${secret}`).toString('base64');

/** The credentials need not be right: what the bridge cannot judge it does not write down either. */
const EXCHANGES: Array<[name: string, fields: Record<string, string>, headers: Record<string, string>]> = [
  ['code', { code: `1/${SECRET}` }, {}],
  ['secret', { client_secret: SECRET }, {}],
  ['secret in a Basic header', {}, { authorization: `Basic ${basic(SECRET)}` }],
];

const exchangeWith = (form: string, headers: Record<string, string>) =>
  sendRaw(heard.door.bridgeUrl, {
    method: 'POST',
    path: TOKEN_PATH,
    ...rawForm(form, { ...headers, ...traceOf(SECRET) }),
  });

test.each(EXCHANGES)('row F162 the %s of an exchange is no trace of it', async (_, fields, headers) => {
  const own = exchangeFields(heard.connected.app, '1/0');
  await exchangeWith(new URLSearchParams({ ...own, ...fields }).toString(), headers);
  const lines = JSON.stringify(await heard.lines());
  expect(lines).toContain('a legacy exchange was refused');
  expect(lines).not.toContain(SECRET);
});

test('row F162 a trace beside a body that could not be read is none', async () => {
  const { status } = await exchangeWith(`{"code":"${SECRET}"`, { 'content-type': 'application/json' });
  const lines = JSON.stringify(await heard.lines());
  expect([status, lines.includes('"message":"request"')]).toEqual([400, true]);
  expect(lines).not.toContain(SECRET);
});
