import { createHash } from 'node:crypto';
import { authorizeIn, exchangeFields, freshCode, read } from '../support/callers/legacy-calls.ts';
import { walkUntil } from '../support/callers/authorize.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { authorizePath, openApproval } from './support/authorize-address.ts';
import { type Connected, connectApp, exchangeForm, expectUnspent } from './support/connected.ts';
import { CALLBACK, type Door, openDoor } from './support/door.ts';
import { expectInvalidToken, expectPage, expectRedirect, expectTokenError } from './support/expectations.ts';
import { expectAlive, knock } from './support/knock.ts';

/** What the frozen old protocol leaves open, and what limits the harm: docs/threats.md G147 to G158. */

const PATH = '/1/profiles.json';

let door: Door;
let connected: Connected;

beforeAll(async () => {
  door = await openDoor();
  connected = await connectApp(door);
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

test('row G147 a request without a state is served, and no code comes without a decision on a page of this request', async () => {
  const open = await openApproval(door);
  expect(open.page.status).toBe(200);
  const other = await openApproval(door);
  const stolen = await other.browser.post(open.page.url, { _form: other.field, decision: 'allow' });
  expect(stolen.status).toBe(403);
  expect((await authorizeIn(door)).location).toMatch(/\?code=1\/[A-Za-z0-9]{32}$/);
});

const verifier = 'v'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');

/** The code of a consent whose request holds more than the old API knew. */
async function codeOf(more: Record<string, string>): Promise<string> {
  const { browser, page, field } = await openApproval(door, more);
  const { location = '' } = await browser.post(page.url, { _form: field, decision: 'allow' });
  const back = await walkUntil(location, { browser, person: door.person, until: CALLBACK });
  return new URL(back.location).searchParams.get('code') ?? '';
}

test('row G148 a challenge at the old address is ignored: a code goes to who has the secret and the callback', async () => {
  const code = await codeOf({ code_challenge: challenge, code_challenge_method: 'S256' });
  const fields = exchangeFields(door.app, code);
  const other = await door.addApp();
  const changes: Array<Record<string, string>> = [
    { client_secret: 'guessed', code_verifier: verifier },
    { client_id: other.clientId, client_secret: other.clientSecret, code_verifier: verifier },
    { redirect_uri: 'https://evil.example/cb', code_verifier: verifier },
  ];
  for (const change of changes) {
    const refused = await exchangeForm(door, { ...fields, ...change });
    const error = 'client_secret' in change && !('client_id' in change) ? 'invalid_client' : 'invalid_grant';
    expectTokenError(refused, 400, error);
  }
  await expectUnspent(door, connected, code);
});

test('row G149 the answer to an app names no issuer, and holds nothing but code and state', async () => {
  const { location } = await authorizeIn(door, { state: 's' });
  const answer = new URL(location);
  expect([...answer.searchParams.keys()]).toEqual(['code', 'state']);
  expect(answer.hash).toBe('');
  expect(location.startsWith(`${CALLBACK}?`)).toBe(true);
});

test('row G150 a wrong request goes back to a registered callback at once, and to no other address', async () => {
  const wrong = { response_type: 'token', state: 's' };
  const back = await knock(door, { path: authorizePath(door.app, wrong) });
  expectRedirect(back, `${CALLBACK}?error=unsupported_response_type&state=s`);
  const elsewhere = { ...wrong, redirect_uri: 'https://evil.example/cb' };
  expectPage(await knock(door, { path: authorizePath(door.app, elsewhere) }), 400);
});

test('row G151 a token in the address is served, and the answer tells no Referer and stays out of caches', async () => {
  const answer = await knock(door, { path: `${PATH}?access_token=${connected.token}` });
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    'cache-control': 'private, no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  });
  expect(answer.text).not.toContain(connected.token.slice(2));
});

test('row G152 an old token is good from anywhere, but at the bridge alone, and no longer than its app and account', async () => {
  const other = await connectApp(door, await door.addApp());
  const elsewhere = { authorization: `Bearer ${other.token}`, 'user-agent': 'another program' };
  expect((await knock(door, { path: PATH, headers: elsewhere })).status).toBe(200);
  const body = JSON.stringify({ query: '{ account { id } }' });
  const headers = { authorization: `Bearer ${other.token}`, 'content-type': 'application/json' };
  const atNewApi = await sendRaw(door.proxy.origin, { method: 'POST', path: '/', headers, body });
  expect(atNewApi.status).toBe(401);
  expect((await read(door, '/1/user/deauthorize.json', other.token)).status).toBe(200);
  expectInvalidToken(await read(door, PATH, other.token));
  expect((await read(door, PATH, connected.token)).status).toBe(200);
});

test.each(['fragment', 'form_post', 'web_message', 'query.jwt'])(
  'row G157 response_mode=%s changes nothing: an answer is a redirect with a query',
  async (mode) => {
    const path = authorizePath(door.app, { response_mode: mode, response_type: 'token', state: 's' });
    expectRedirect(await knock(door, { path }), `${CALLBACK}?error=unsupported_response_type&state=s`);
    const { page } = await openApproval(door, { response_mode: mode });
    expect(page.status).toBe(200);
    expect(page.body).not.toMatch(/postMessage|<script/i);
  },
);

test.each(['allow', 'deny'])(
  'row G156 the redirect behind a decision to %s is one that no browser follows with the form',
  async (decision) => {
    const open = await openApproval(door);
    const answer = await open.browser.post(open.page.url, { _form: open.field, decision });
    expect(answer.status).toBe(302);
    expect(open.page.body).not.toMatch(/type="password"/);
    expect(answer.location).not.toContain(open.field);
  },
);

test('row G158 a secret in the body counts as much as in the header, and neither is enough without a code', async () => {
  const code = await freshCode(door);
  const fields = exchangeFields(door.app, code);
  expectTokenError(await exchangeForm(door, fields, { code: undefined }), 400, 'invalid_request');
  expectTokenError(await exchangeForm(door, fields, { code: `1/${'a'.repeat(32)}` }), 400, 'invalid_grant');
  expect((await exchangeForm(door, fields)).status).toBe(200);
});
