import { newLegacyCode } from '../../../src/shared/ids.ts';
import { exchangeFields } from '../../support/callers/legacy-calls.ts';
import { rawForm } from '../../support/callers/raw-request.ts';
import {
  basicHeader,
  type Connected,
  connectApp,
  exchangeForm,
  expectUnspent,
  type Fields,
  formOf,
  postToken,
  TOKEN_PATH,
} from '../support/connected.ts';
import { type Door, openDoor } from '../support/door.ts';
import { expectMethodRefused, expectTokenError } from '../support/expectations.ts';
import { expectAlive, knock } from '../support/knock.ts';

/**
 * docs/threats.md T1 to T14 and C53 to C75: parameters and client authentication. Each refusal leaves the code unspent.
 */

let door: Door;
let connected: Connected;
let code: string;
let fields: Fields;

beforeAll(async () => {
  door = await openDoor();
});

// An app of its own per test: wrong secrets are counted per app.
beforeEach(async () => {
  connected ??= await connectApp(door);
  code = await connected.mint();
  fields = exchangeFields(connected.app, code);
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

type Changes = Record<string, string | undefined>;

/** The refusal, and the proof that the code is as good as before. */
async function expectRefused(changes: Changes, [status, error]: [number, string]): Promise<void> {
  expectTokenError(await exchangeForm(door, fields, changes), status, error);
  await expectUnspent(door, connected, code);
}

test('row T1 the answer is 200 with the access token and nothing else, kept out of caches', async () => {
  const answer = await exchangeForm(door, fields);
  expect(answer).toMatchObject({
    status: 200,
    text: expect.stringMatching(/^\{"access_token":"1\/[0-9a-f]{32}"\}$/),
  });
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json;charset=UTF-8',
    'cache-control': expect.stringContaining('no-store'),
    pragma: 'no-cache',
  });
  expect(answer.headers['set-cookie']).toBeUndefined();
});

const MISSING: Array<[row: string, changes: Changes, error: string]> = [
  ['T2 no code', { code: undefined }, 'invalid_request'],
  ['T2 an empty code', { code: '' }, 'invalid_request'],
  ['T3 no grant_type', { grant_type: undefined }, 'invalid_request'],
  ['C70 an empty grant_type', { grant_type: '' }, 'invalid_request'],
  ['T3 and C70 password', { grant_type: 'password' }, 'unsupported_grant_type'],
  ['C70 client_credentials', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
  ['C70 refresh_token', { grant_type: 'refresh_token' }, 'unsupported_grant_type'],
  ['C70 a URN', { grant_type: 'urn:ietf:params:oauth:grant-type:x' }, 'unsupported_grant_type'],
  ['C70 10 kB', { grant_type: 'g'.repeat(10_000) }, 'unsupported_grant_type'],
  ['C70 another case', { grant_type: 'Authorization_Code' }, 'unsupported_grant_type'],
  ['T4 no client', { client_id: undefined, client_secret: undefined }, 'invalid_client'],
  ['T4 no secret', { client_secret: undefined }, 'invalid_client'],
  ['T4 an unknown client', { client_id: 'nobody' }, 'invalid_client'],
  ['T4 a wrong secret', { client_secret: 'wrong' }, 'invalid_client'],
];

test.each(MISSING)('row %s is refused with 400', async (_row, changes, error) => {
  await expectRefused(changes, [400, error]);
});

test.each(['client_secret', 'code', 'grant_type', 'redirect_uri', 'client_id'])(
  'rows T2 and C64 %s twice, or in the form of an array, is invalid_request',
  async (name) => {
    const form = new URLSearchParams(fields).toString();
    const value = encodeURIComponent(fields[name] ?? '');
    for (const extra of [
      `${name}=${value}`,
      `${name}[]=${value}`,
      `${name}[0]=${value}`,
      `${name}%5B%5D=x`,
    ]) {
      expectTokenError(await postToken(door, rawForm(`${form}&${extra}`)), 400, 'invalid_request');
    }
    await expectUnspent(door, connected, code);
  },
);

test('row C64 grant_type[] alone is invalid_request', async () => {
  await expectRefused({ grant_type: undefined, 'grant_type[]': 'authorization_code' }, [
    400,
    'invalid_request',
  ]);
});

const withoutClient = () => ({ ...fields, client_id: undefined, client_secret: undefined });

test.each([
  ['a wrong secret', (id: string) => basicHeader(id, 'wrong')],
  ['an unknown client', () => basicHeader('nobody', 'wrong')],
  ['C61 bad base64', () => ({ authorization: 'Basic !!!' })],
  ['C61 no colon', () => ({ authorization: `Basic ${Buffer.from('nocolon').toString('base64')}` })],
  ['C61 nothing', () => ({ authorization: 'Basic' })],
  ['C61 no client id', () => basicHeader('', 'secret')],
  ['C61 10 kB', (id: string) => basicHeader(id, 'x'.repeat(10_000))],
])('rows T4 and C61 Basic with %s is 401 with a Basic challenge', async (_case, header) => {
  const app = await door.addApp();
  const answer = await postToken(door, rawForm(formOf(withoutClient()), header(app.clientId)));
  expectTokenError(answer, 401, 'invalid_client');
  expect(answer.headers['www-authenticate']).toBe('Basic realm="Service"');
  await expectUnspent(door, connected, code);
});

test.each([
  ['a colon', 'with:colon:s'],
  ['percent signs', '100%25+sure%zz'],
  ['spaces', 'a secret with spaces'],
  ['letters beyond ASCII', 'pässwörd-✓'],
])('rows T6 and C61 a secret with %s is taken form-encoded and as it is', async (_case, clientSecret) => {
  const app = await door.addApp({ fixed: { clientSecret } });
  const encoded = new URLSearchParams({ s: clientSecret }).toString().slice('s='.length);
  const body = formOf({ ...withoutClient(), code: newLegacyCode() });
  for (const secret of [encoded, clientSecret]) {
    const answer = await postToken(door, rawForm(body, basicHeader(app.clientId, secret)));
    expectTokenError(answer, 400, 'invalid_grant');
  }
});

test('row T6 Basic alone is enough', async () => {
  const header = basicHeader(connected.app.clientId, connected.app.clientSecret);
  expect(await postToken(door, rawForm(formOf(withoutClient()), header))).toMatchObject({ status: 200 });
});

test.each<[string, Changes]>([
  ['both', {}],
  ['the secret alone', { client_id: undefined }],
  ['the id alone', { client_secret: undefined }],
])('rows T5 and C62 Basic with equal credentials in the body, %s, is enough', async (_case, changes) => {
  const { app } = connected;
  const form = formOf({ ...fields, code: await connected.mint(), ...changes });
  const answer = await postToken(door, rawForm(form, basicHeader(app.clientId, app.clientSecret)));
  expect(answer).toMatchObject({ status: 200, json: { access_token: expect.any(String) } });
});

test('rows T5 and C62 equal credentials that are wrong are 401 with a Basic challenge', async () => {
  const app = await door.addApp();
  const form = formOf({ ...fields, client_id: app.clientId, client_secret: 'wrong' });
  const answer = await postToken(door, rawForm(form, basicHeader(app.clientId, 'wrong')));
  expectTokenError(answer, 401, 'invalid_client');
  expect(answer.headers['www-authenticate']).toBe('Basic realm="Service"');
  await expectUnspent(door, connected, code);
});

test('rows T5 and C62 a secret that is form-encoded in the header is equal to the plain one in the body', async () => {
  const clientSecret = 'a+b %25';
  const app = await door.addApp({ fixed: { clientSecret } });
  const encoded = new URLSearchParams({ s: clientSecret }).toString().slice('s='.length);
  const own = { client_id: app.clientId, client_secret: clientSecret, code: newLegacyCode() };
  for (const secret of [encoded, clientSecret]) {
    const answer = await postToken(
      door,
      rawForm(formOf({ ...fields, ...own }), basicHeader(app.clientId, secret)),
    );
    expectTokenError(answer, 400, 'invalid_grant');
  }
});

test.each([
  ['a wrong secret in the body', { client_secret: 'wrong' }],
  ['an empty secret in the body', { client_secret: '' }],
  ['another client in the body', { client_id: 'another', client_secret: undefined }],
  ['another client and the right secret in the body', { client_id: 'another' }],
])('rows T5 and C62 Basic and body with %s is invalid_request', async (_case, changes: Changes) => {
  const header = basicHeader(connected.app.clientId, connected.app.clientSecret);
  const answer = await postToken(door, rawForm(formOf({ ...fields, ...changes }), header));
  expectTokenError(answer, 400, 'invalid_request');
  await expectUnspent(door, connected, code);
});

test.each(['client_id', 'client_secret', 'code'])(
  'rows T7 and C63 %s in the address is invalid_request',
  async (name) => {
    const query = formOf({ [name]: fields[name] });
    for (const body of [formOf(fields), formOf({ ...fields, [name]: undefined })]) {
      const answer = await knock(door, { method: 'POST', path: `${TOKEN_PATH}?${query}`, ...rawForm(body) });
      expectTokenError(answer, 400, 'invalid_request');
    }
    await expectUnspent(door, connected, code);
  },
);

test('row T7 all of the request in the address is invalid_request', async () => {
  const path = `${TOKEN_PATH}?${formOf(fields)}`;
  expectTokenError(await knock(door, { method: 'POST', path }), 400, 'invalid_request');
  await expectUnspent(door, connected, code);
});

test.each(['GET', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS', 'TRACE'])(
  'rows T8 and C69 %s is 405 with Allow: POST',
  async (method) => {
    const answer = await knock(door, { method, path: TOKEN_PATH });
    expectMethodRefused(answer, 'POST');
    if (method !== 'HEAD') expect(answer.json).toMatchObject({ error: 'invalid_request' });
  },
);

test('row T8 GET with the whole request in its query spends nothing', async () => {
  expectMethodRefused(await knock(door, { path: `${TOKEN_PATH}?${formOf(fields)}` }), 'POST');
  await expectUnspent(door, connected, code);
});

// docs/old-api.md Q16 decides: the old service knew no PKCE and ignored unknown parameters.
test('row C71 a code_verifier is ignored', async () => {
  const answer = await exchangeForm(door, fields, {
    code_verifier: 'v'.repeat(43),
    state: 's',
    scope: 'all',
  });
  expect(answer).toMatchObject({ status: 200 });
});

test('row C59 every wrong secret gets the same answer as an unknown client', async () => {
  const app = await door.addApp();
  const { clientSecret: right } = app;
  const wrong = [
    `X${right.slice(1)}`,
    `${right.slice(0, -1)}X`,
    right.slice(0, -1),
    `${right}x`,
    '',
    undefined,
  ];
  const answers = await Promise.all(
    wrong.map((secret) => exchangeForm(door, fields, { client_id: app.clientId, client_secret: secret })),
  );
  answers.push(await exchangeForm(door, fields, { client_id: 'nobody' }));
  for (const answer of answers) {
    expectTokenError(answer, 400, 'invalid_client');
    expect(answer.text).toBe(answers[0]?.text);
    const own = { date: '', 'x-request-id': '' };
    expect({ ...answer.headers, ...own }).toEqual({ ...answers[0]?.headers, ...own });
  }
  await expectUnspent(door, connected, code);
});

test('row B36 a retired app is an unknown client', async () => {
  const app = await door.addApp();
  await door.bridge.context.store.durable
    .updateTable('apps')
    .set({ retired_at: Date.now() })
    .where('client_id', '=', app.clientId)
    .execute();
  await expectRefused({ client_id: app.clientId, client_secret: app.clientSecret }, [400, 'invalid_client']);
});
