import { Writable } from 'node:stream';
import { openAccessToken, openRefreshToken } from '../../src/domain/grants/sealed-pair.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { authorizeIn, exchangeFields } from '../support/callers/legacy-calls.ts';
import { json, multipart, rawForm, type RawRequest, sendRaw } from '../support/callers/raw-request.ts';
import { authorizePath } from './support/authorize-address.ts';
import { basicHeader, type Connected, connectApp, TOKEN_PATH } from './support/connected.ts';
import { type Door, openDoor } from './support/door.ts';
import { expectAlive, sendBytes } from './support/knock.ts';

/** docs/threats.md D87 and C63: no secret in the log, whatever carried it and however the call ended. */

let log = '';
const lines = () => log.split('\n').filter((line) => line !== '');

const stream = new Writable({
  write(chunk: Buffer, _encoding, done) {
    log += chunk.toString();
    done();
  },
});

/** Short, so that no rule about long values hides it. */
const SECRET = 'hush7Yq:+ok';
const STATE = 'stateOfTheApp-5X';

let door: Door;
let connected: Connected;
let code: string;
let token: string;
let before = 0;

beforeAll(async () => {
  door = await openDoor({ log: { level: 'debug', stream } });
  const app = await door.addApp({ fixed: { clientSecret: SECRET } });
  connected = await connectApp(door, app);
  token = connected.token;
});

beforeEach(async () => {
  await door.bridge.untilLogged();
  before = log.length;
  code = await connected.mint();
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

/** A value in every form in which it could stand in a line. */
function formsOf(value: string): string[] {
  const once = encodeURIComponent(value);
  const bare = value.replace(/^1\//, '');
  return [
    bare,
    once,
    once.toLowerCase(),
    encodeURIComponent(once),
    new URLSearchParams({ v: value }).toString().slice(2),
    JSON.stringify(value).slice(1, -1),
    value.replace('/', '\\/'),
    Buffer.from(value).toString('base64'),
    Buffer.from(value).toString('base64url'),
    Buffer.from(value).toString('hex'),
    Buffer.from(`${connected.app.clientId}:${value}`).toString('base64'),
    Buffer.from(`${connected.app.clientId}:${once}`).toString('base64'),
  ].filter((form) => form.length > 4);
}

async function expectSilent(values: string[]): Promise<void> {
  await door.bridge.untilLogged();
  const since = log.slice(before);
  const told = values.flatMap(formsOf).filter((form) => since.includes(form));
  expect(told).toEqual([]);
}

const secretsSent = () => [token, code, SECRET, STATE];

const PATHS = [
  '/1/profiles.json',
  '/1/profiles/x.json',
  '/1/user.json',
  '/1/nothing.json',
  '/1/profiles.xml',
  '/1/user.json/',
  '/nothing',
  '/approve/x',
  '/callback',
  '/health',
  TOKEN_PATH,
  '/1/profiles/%E0%A4%A.json',
  '/approve/%zz',
  '/%zz',
];

const written = (value: string) => [
  value,
  encodeURIComponent(value),
  encodeURIComponent(encodeURIComponent(value)),
];

function carriersOf(path: string, value: string): RawRequest[] {
  return [
    { path: `${path}?access_token=${value}&code=${value}&client_secret=${value}&state=${value}` },
    { path: `${path}?x=${value}&${value}` },
    { path: `${path}#access_token=${value}` },
    { path, headers: { authorization: `Bearer ${value}` } },
    {
      path,
      headers: { authorization: `OAuth ${value}`, referer: `https://app.example/?access_token=${value}` },
    },
    { path, headers: { cookie: `access_token=${value}; gb_browser=${value}`, 'user-agent': `x ${value}` } },
    { method: 'POST', path, ...rawForm(`access_token=${value}&code=${value}&client_secret=${value}`) },
  ];
}

test.each(PATHS)(
  'row D87 tokens, codes and secrets sent to %s by every carrier leave no trace in the log',
  async (path) => {
    const values = secretsSent().flatMap(written);
    const sent = values.flatMap((value) => carriersOf(path, value));
    const answers = await Promise.all(sent.map((request) => sendRaw(door.bridgeUrl, request)));
    await expectSilent(secretsSent());
    expect(answers.map(({ status }) => status)).not.toContain(500);
  },
);

test('row D87 a token or code as a part of the path leaves no trace in the log', async () => {
  for (const value of [token, code].flatMap(written))
    for (const path of [`/1/profiles/${value}.json`, `/${value}`, `/1/${value}`, `/approve/${value}`])
      await sendRaw(door.bridgeUrl, { path });
  await expectSilent([token, code]);
});

test('row D87 a token at the end of a long path leaves no part of it in the log', async () => {
  for (let filler = 160; filler < 200; filler += 5)
    await sendRaw(door.bridgeUrl, { path: `/${'x/'.repeat(filler / 2)}${token}` });
  await door.bridge.untilLogged();
  expect(log.slice(before)).not.toContain(token.slice(2, 10));
});

test.each(['PUT', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'])(
  'row D87 a refused %s leaves no trace in the log',
  async (method) => {
    for (const path of ['/1/profiles.json', TOKEN_PATH, '/oauth2/authorize', '/callback'])
      for (const value of secretsSent()) {
        const query = `access_token=${value}&code=${value}&client_secret=${value}&state=${value}`;
        await sendRaw(door.bridgeUrl, {
          method,
          path: `${path}?${query}`,
          headers: { authorization: `Bearer ${value}` },
        });
      }
    await expectSilent(secretsSent());
  },
);

const gzip = { 'content-encoding': 'gzip' };

test.each<[string, (fields: Record<string, string>) => Partial<RawRequest>]>([
  ['a good form', (fields) => rawForm(new URLSearchParams(fields).toString())],
  [
    'a raw form',
    (fields) =>
      rawForm(
        Object.entries(fields)
          .map((pair) => pair.join('='))
          .join('&'),
      ),
  ],
  ['multipart', multipart],
  ['JSON', json],
  ['a second use', (fields) => rawForm(new URLSearchParams(fields).toString())],
  ['a wrong secret', (fields) => json({ ...fields, client_secret: `${SECRET}x` })],
  ['a wrong callback', (fields) => json({ ...fields, redirect_uri: `https://evil.example/?code=${code}` })],
  ['a grant type that is a secret', (fields) => json({ ...fields, grant_type: token })],
  ['a client id that is a secret', (fields) => json({ ...fields, client_id: SECRET })],
  ['objects', (fields) => json({ ...fields, code: { [code]: SECRET } })],
  ['objects that cannot become text', (fields) => json({ ...fields, code: { toString: SECRET } })],
  [
    'broken JSON',
    (fields) => ({ headers: { 'content-type': 'application/json' }, body: `${JSON.stringify(fields)}}` }),
  ],
  [
    'broken multipart',
    (fields) => ({
      headers: { 'content-type': `multipart/form-data; boundary="${SECRET}"` },
      body: JSON.stringify(fields),
    }),
  ],
  ['plain text', (fields) => ({ headers: { 'content-type': 'text/plain' }, body: JSON.stringify(fields) })],
  ['what is not gzip', (fields) => rawForm(new URLSearchParams(fields).toString(), gzip)],
  [
    '1,001 parameters',
    (fields) => rawForm(new URLSearchParams(fields).toString() + `&a=${SECRET}`.repeat(1001)),
  ],
  ['a body that is too long', (fields) => json({ ...fields, x: SECRET.repeat(40_000) })],
  [
    'Basic',
    ({ code: c }) =>
      rawForm(`grant_type=authorization_code&code=${c}`, basicHeader(connected.app.clientId, SECRET)),
  ],
  [
    'broken Basic',
    ({ code: c }) => rawForm(`grant_type=authorization_code&code=${c}`, { authorization: `Basic ${SECRET}` }),
  ],
])('rows D87 and C63 an exchange by %s leaves no trace in the log', async (_case, content) => {
  const request = content(exchangeFields(connected.app, code));
  for (const query of ['', `?code=${code}&client_secret=${encodeURIComponent(SECRET)}`])
    await sendRaw(door.bridgeUrl, { method: 'POST', path: TOKEN_PATH + query, ...request });
  await expectSilent(secretsSent());
});

test('row D87 requests that are no HTTP leave no trace in the log', async () => {
  await sendBytes(door, `GET /1/user.json?access_token=${token} HTTP/1.1\r\nbroken ${token}\r\n\r\n`);
  await sendBytes(door, `GET /1/user.json?access_token=${token}${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`);
  await sendBytes(door, `GET /?access_token=${token} with spaces HTTP/1.1\r\n\r\n`);
  await expectSilent(secretsSent());
});

test('row D87 a whole authorization leaves neither its code, state, cookie nor the modern tokens in the log', async () => {
  const browser = new CookieWalker();
  const { app } = connected;
  const answer = await authorizeIn(door, { app, state: STATE, browser });
  const refused = await sendRaw(door.bridgeUrl, {
    path: authorizePath(app, { state: STATE, response_type: 'x' }),
  });
  expect(refused.headers.location).toContain(STATE);
  const grant = await connected.grant();
  const given = browser.received.filter(({ name, value }) => name.startsWith('gb_browser_') && value !== '');
  const cookies = given.map(({ value }) => value);
  const modern = [openAccessToken, openRefreshToken].map((open) => open(door.bridge.context, grant));
  expect([cookies.length, answer.code?.length]).toEqual([1, 34]);
  await expectSilent([...secretsSent(), answer.code ?? '', ...cookies, ...modern]);
});

test('row D87 the log is not empty for all that: it tells every call and every refusal', () => {
  expect(lines().length).toBeGreaterThan(100);
  expect(log).toContain('a legacy exchange was refused');
  expect(log).toContain('/1/profiles.json');
  for (const line of lines()) expect(() => JSON.parse(line) as unknown).not.toThrow();
});
