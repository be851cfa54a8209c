import { randomBytes } from 'node:crypto';
import { newHexId, newLegacyToken } from '../../../src/shared/ids.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { addWaitingToken } from '../../support/bridge/waiting-token.ts';

/** Large bodies of calls that the old API answers go there as they came, for known tokens alone. */

const accounts: OldAccount[] = [];
let old: OldBackend;
let system: System;
let token: string;

beforeAll(async () => {
  old = await startOldBackend({ accounts });
  system = await startSystem({ env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' } });
  ({ token } = await addWaitingToken(system.bridge, { clientId: system.app.clientId }));
  accounts.push({ tokens: [token], user: { id: newHexId() } });
  await old.setBehaviour({ status: 200, body: '{"success":true}' });
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

beforeEach(() => {
  old.requests.length = 0;
});

const FILE = Buffer.concat([
  Buffer.from('--b\r\nContent-Disposition: form-data; name="media[photo]"; filename="a.jpg"\r\n\r\n'),
  randomBytes(9 * 1024 * 1024),
  Buffer.from('\r\n--b--\r\n'),
]);

const send = (authorization: string, path = '/1/updates/create.json') =>
  sendRaw(system.bridgeUrl, {
    method: 'POST',
    path,
    headers: { authorization, 'content-type': 'multipart/form-data; boundary=b' },
    body: FILE,
  });

test.each(['/1/updates/create.json', '/1/some/upload.json'])('a file of 9 MB for %s', async (path) => {
  expect(await send(`Bearer ${token}`, path)).toMatchObject({ status: 200, json: { success: true } });
  const [seen] = old.requests;
  expect(old.requests).toHaveLength(1);
  expect(seen?.body.equals(FILE)).toBe(true);
});

test('a token that nobody knows, or that stands in the body, sends 256 kB at most', async () => {
  expect((await send(`Bearer ${newLegacyToken()}`)).status).toBe(413);
  const form = new URLSearchParams({ access_token: token, text: 'x'.repeat(300_000) }).toString();
  const answer = await sendRaw(system.bridgeUrl, {
    method: 'POST',
    path: '/1/updates/create.json',
    ...rawForm(form),
  });
  expect([answer.status, answer.json]).toMatchObject([413, { success: false, code: 413 }]);
  expect(old.requests).toEqual([]);
});

const MUCH = 9.9 * 1024 * 1024;

const filled = (unit: string) => unit.repeat(Math.floor(MUCH / unit.length));

const FILE_TYPE = 'multipart/form-data; boundary=b';

const fileOf = (content: string) =>
  `--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\naccess_token\r\n${content}\r\n--b--\r\n`;

/** Of ten megabytes each, with a word about tokens in them, which is looked for in what they hold. */
const SPEAKING: ReadonlyArray<[string, string, () => string]> = [
  ['JSON with a long text', 'application/json', () => `{"text":"no access_token","more":"${filled('a')}"}`],
  ['JSON with a long name', 'application/json', () => `{"text":"no access_token","${filled('a')}":"more"}`],
  ['JSON with many quotes', 'application/json', () => `{"text":"no access_token","more":"${filled('\\"')}"}`],
  ['JSON with many blanks', 'application/json', () => `{"text":"no access_token"${filled(' ')},"more":"x"}`],
  [
    'a form with a long value',
    'application/x-www-form-urlencoded',
    () => `text=access_token&more=${filled('a')}`,
  ],
  [
    'a form with a long name',
    'application/x-www-form-urlencoded',
    () => `text=access_token&${filled('a')}=x`,
  ],
  [
    'a form with many semicolons',
    'application/x-www-form-urlencoded',
    () => `text=access_token${filled(';')}`,
  ],
  ['a form whose long name', 'application/x-www-form-urlencoded', () => `${filled('a')}_access_token=x`],
  ['a file with a long line', FILE_TYPE, () => fileOf(`Content-Disposition: ${filled('a')} access-token`)],
  ['a file with many lines', FILE_TYPE, () => fileOf(filled('Content-Disposition: \r\n'))],
];

test.each(SPEAKING)('%s may speak of a token', async (_, type, bodyOf) => {
  const answer = await sendRaw(system.bridgeUrl, {
    method: 'POST',
    path: '/1/updates/create.json',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body: bodyOf(),
  });
  expect([answer.status, answer.text]).toEqual([200, '{"success":true}']);
  expect(old.requests).toHaveLength(1);
});

test.each([
  ['twice', '"access_token":"$","access_token":"$"'],
  ['behind a long text', `"more":"${filled('a')}","access_token":"$","access.token":"x"`],
  ['behind many quotes', `"more":"${filled('\\"')}","access_token":"$","access\\u005ftoken":"x"`],
])('JSON that names two tokens is refused: %s', async (_, fields) => {
  const answer = await sendRaw(system.bridgeUrl, {
    method: 'POST',
    path: '/1/updates/create.json',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: `{${fields.replaceAll('$', token)}}`,
  });
  expect([answer.status, answer.json]).toMatchObject([400, { success: false }]);
  expect(old.requests).toEqual([]);
});
