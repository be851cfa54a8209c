import { connect } from 'node:net';
import { findTokens } from '../../src/domain/support/find-tokens.ts';
import { forgetHints } from '../support/jest/forgotten-hints.ts';
import { until } from '../support/servers/held-answer.ts';
import { plan } from '../lifecycle/support/lifecycle-rows.ts';
import {
  multipart,
  type RawAnswer,
  rawForm,
  type RawRequest,
  sendRaw,
} from '../support/callers/raw-request.ts';
import { connectApp, type Connected } from '../endpoints/support/connected.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';

/** What a token is used for is measured where its calls are answered. */

let door: Door;
let connected: Connected;

beforeAll(async () => {
  door = await openDoor();
  connected = await connectApp(door);
});
afterAll(() => door.stop());

const call = (request: Partial<RawRequest>) =>
  sendRaw(door.bridgeUrl, { path: '/1/profiles.json', ...request });

const agent = { 'user-agent': 'old-client/0.1 (test)' };

beforeEach(async () => {
  await door.bridge.context.usage.flush();
  await door.bridge.context.store.volatile.deleteFrom('usage').execute();
});

afterEach(() => plan(door.bridge, {}));

/** What is written, as `endpoint carrier agent outcome calls`; a bridge in a process of its own writes every ten seconds. */
async function written(calls: number): Promise<string[]> {
  const { store, usage } = door.bridge.context;
  const read = async () => {
    await usage.flush();
    return store.volatile.selectFrom('usage').selectAll().execute();
  };
  let rows = await read();
  await until(async () => {
    rows = await read();
    return rows.reduce((sum, row) => sum + row.calls, 0) >= calls;
  });
  return rows
    .map((row) => [row.endpoint, row.carrier, row.user_agent, row.outcome, row.calls].join(' '))
    .toSorted();
}

test('each call with a known token is counted by how it came and what became of it, and no other', async () => {
  const { token, app } = connected;
  const bearer = { ...agent, authorization: `Bearer ${token}` };
  const encoded = encodeURIComponent(token);
  await call({ headers: bearer });
  await call({ headers: bearer });
  await call({ path: `/1/profiles.json?access_token=${encoded}`, headers: agent });
  const form = rawForm(`access_token=${encoded}`);
  await call({ method: 'POST', ...form, headers: { ...form.headers, ...agent } });
  const profile = `/1/profiles/${'f'.repeat(24)}.json`;
  expect((await call({ path: profile, headers: bearer })).status).toBe(404);
  await call({ headers: { ...agent, authorization: `Bearer 1/${'0'.repeat(32)}` } });
  await call({ headers: agent });
  await sendRaw(door.bridgeUrl, { path: '/1/user/deauthorize.json', headers: bearer });
  expect((await call({ headers: bearer })).status).toBe(401);
  const name = 'old-client/0.1 (test)';
  expect(await written(7)).toEqual([
    `/1/profiles.json body ${name} ok 1`,
    `/1/profiles.json header ${name} ok 2`,
    `/1/profiles.json header ${name} refused 1`,
    `/1/profiles.json query ${name} ok 1`,
    `/1/profiles/:id.json header ${name} other 1`,
    `/1/user/deauthorize.json header ${name} ok 1`,
  ]);
  const { tokens } = await findTokens(door.bridge.context, token.slice(-4));
  expect(tokens).toMatchObject([
    {
      row: { client_id: app.clientId, state: 'revoked' },
      usage: { calls: 7, carriers: ['header', 'body', 'query'], userAgents: [name] },
    },
  ]);
});

/** Calls with a token in the header, the address and the body, in two kinds of it; all that is answered to them. */
async function callsTo(path: string, token: string): Promise<Array<Pick<RawAnswer, 'status' | 'text'>>> {
  const encoded = encodeURIComponent(token);
  const form = rawForm(`text=Hello&access_token=${encoded}`, agent);
  const parts = multipart({ text: 'Hello', access_token: token });
  const calls: Array<Partial<RawRequest>> = [
    { headers: { ...agent, authorization: `Bearer ${token}` } },
    { path: `${path}?access_token=${encoded}`, headers: agent },
    { method: 'POST', ...form },
    { method: 'POST', ...parts, headers: { ...parts.headers, ...agent } },
  ];
  const answers = await Promise.all(calls.map((request) => call({ path, ...request })));
  return answers.map(({ headers, status, text }) => ({
    status,
    text,
    headers: { ...headers, date: '', 'x-request-id': '' },
  }));
}

const UNKNOWN = `1/${'0'.repeat(32)}`;

async function hintsOf(clientId: string): Promise<string[]> {
  const { durable } = door.bridge.context.store;
  const found = durable.selectFrom('mappings').select(['hint_first', 'hint_last']);
  const rows = await found.where('client_id', '=', clientId).execute();
  return rows.map(({ hint_first: first, hint_last: last }) => `${first}…${last}`);
}

test.each([
  [404, 'other', '/1/nothing.json', {}],
  [410, 'refused', '/1/profiles.json', { dates: { sunset: 1 } }],
])(
  'a call that is answered %d unread is counted as %s, if its token is known',
  async (status, outcome, path, dates) => {
    const { token, app } = await connectApp(door, await door.addApp());
    await forgetHints(door.bridge, app.clientId);
    await plan(door.bridge, dates);
    const refused = await callsTo(path, UNKNOWN);
    expect(refused.map((answer) => answer.status)).toEqual([status, status, status, status]);
    // Whether a token is known changes nothing of an answer.
    expect(await callsTo(path, token)).toEqual(refused);
    // More than is read beside an answer, which comes as ever.
    const long = {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: Buffer.alloc(300_000),
    };
    expect((await call({ path, ...long })).status).toBe(status);
    const name = 'old-client/0.1 (test)';
    expect(await written(5)).toEqual([
      `${path} body ${name} ${outcome} 2`,
      `${path} header none ${outcome} 1`,
      `${path} header ${name} ${outcome} 1`,
      `${path} query ${name} ${outcome} 1`,
    ]);
    // What only the token itself tells is learned all the same.
    await until(async () =>
      (await hintsOf(app.clientId)).includes(`${token.slice(2, 6)}…${token.slice(-4)}`),
    );
  },
);

test('the answer waits for no body, and the call is counted once that has come', async () => {
  const { token } = await connectApp(door, await door.addApp());
  const body = `access_token=${encodeURIComponent(token)}`;
  const { hostname, port } = new URL(door.bridgeUrl);
  const socket = connect(Number(port), hostname);
  const head = ['POST /1/nothing.json HTTP/1.1', 'Host: localhost'];
  const kind = ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${body.length}`];
  socket.write([...head, ...kind, '', body.slice(0, 9)].join('\r\n'));
  const answer = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 /);
  expect(await written(0)).toEqual([]);
  socket.write(body.slice(9));
  expect(await written(1)).toEqual(['/1/nothing.json body none other 1']);
  socket.destroy();
});

const PATH = '/1/nothing.json';

test.each([
  ['closes and sends its body later', 'HTTP/1.1', 'close', 'header'],
  ['speaks HTTP/1.0', 'HTTP/1.0', 'close', 'query'],
  ['leaves after the answer', 'HTTP/1.1', 'keep-alive', 'header'],
])(
  'a call whose body never comes is counted by the token before it: of a client that %s',
  async (_, version, connection, carrier) => {
    const { token } = await connectApp(door, await door.addApp());
    const { hostname, port } = new URL(door.bridgeUrl);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    const path = carrier === 'query' ? `${PATH}?access_token=${encodeURIComponent(token)}` : PATH;
    const head = [`POST ${path} ${version}`, 'Host: localhost', `Connection: ${connection}`];
    const kind = ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 40'];
    const header = carrier === 'header' ? [`Authorization: Bearer ${token}`] : [];
    socket.write([...head, ...kind, ...header, '', ''].join('\r\n'));
    const answer = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 /);
    if (connection === 'close') socket.write('text=Hello');
    else socket.destroy();
    expect(await written(1)).toEqual([`${PATH} ${carrier} none other 1`]);
    socket.destroy();
  },
);
