import { approvalAddress, authorizePath, rowsOf } from '../support/authorize-address.ts';
import { CALLBACK, type Door, openDoor } from '../support/door.ts';
import { expectMethodRefused, expectPage400, expectRedirect, expectSound } from '../support/expectations.ts';
import { expectAlive, knock } from '../support/knock.ts';

/** docs/threats.md A1 to A21 and B35 to B52, as far as no person takes part. */

let door: Door;

beforeAll(async () => {
  door = await openDoor();
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

const ask = (changes: Record<string, string | undefined>, extra = '') =>
  knock(door, { path: authorizePath(door.app, changes) + extra });

type Answer = Awaited<ReturnType<typeof ask>>;

function expectApproval(answer: Answer): void {
  expectSound(answer);
  expect(answer.status).toBe(302);
  expect(answer.headers.location).toMatch(approvalAddress(door.bridgeUrl));
  expect(answer.headers['cache-control']).toContain('no-store');
  expect(answer.headers['referrer-policy']).toBe('no-referrer');
}

const sentBack = (error: string, state = '') => `${CALLBACK}?error=${error}${state && `&state=${state}`}`;

test('row A1 GET is served and POST, which is optional, is refused with Allow', async () => {
  expectApproval(await ask({}));
  expectMethodRefused(await knock(door, { method: 'POST', path: authorizePath(door.app) }), 'GET');
});

test.each([
  ['state', 'response_type=token', sentBack('unsupported_response_type')],
  ['response_type', 'state=s', sentBack('invalid_request', 's')],
])('row A2 an empty %s counts as absent', async (name, with_, location) => {
  const [other = '', value] = with_.split('=');
  expectRedirect(await ask({ [name]: '', [other]: value }), location);
});

test('row A2 an empty client_id counts as absent', async () => {
  expectPage400(await ask({ client_id: '' }));
});

test('row A3 unknown parameters are ignored', async () => {
  expectApproval(await ask({ access_type: 'online', nonce: 'n', code: 'x', resource: 'y' }));
});

test.each(['client_id', 'redirect_uri'])('row A4 %s twice is an error page', async (name) => {
  const value = name === 'client_id' ? door.app.clientId : CALLBACK;
  expectPage400(await ask({}, `&${name}=${encodeURIComponent(value)}`));
});

test.each([
  ['A4 response_type', 'response_type=code', sentBack('invalid_request', 's')],
  ['A4 scope', 'scope=a&scope=a', sentBack('invalid_request', 's')],
  ['A4 and B39 state', 'state=s', sentBack('invalid_request')],
])('row %s twice goes back to the app as invalid_request', async (_row, extra, location) => {
  expectRedirect(await ask({ state: 's' }, `&${extra}`), location);
});

test.each([
  ['missing', undefined],
  ['unknown', 'no-such-app'],
  ['of 10,000 characters', 'c'.repeat(10_000)],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['hasOwnProperty', 'hasOwnProperty'],
])('rows A5 and B35 a client_id that is %s is an error page', async (_case, clientId) => {
  expectPage400(await ask({ client_id: clientId }));
});

test('row B35 a client_id with a NUL or in the form of an array is an error page', async () => {
  expectPage400(await ask({ client_id: `${door.app.clientId}\0` }));
  expectPage400(await ask({ client_id: undefined }, `&client_id[]=${door.app.clientId}`));
  expectPage400(await ask({}, `&client_id[0]=${door.app.clientId}`));
});

test('row A6 without a callback in the request, an app with two registered ones gets an error page', async () => {
  const app = await door.addApp({ callbacks: [CALLBACK, `${CALLBACK}2`] });
  expectPage400(await knock(door, { path: authorizePath(app, { redirect_uri: undefined }) }));
  expectApproval(await knock(door, { path: authorizePath(app, { redirect_uri: `${CALLBACK}2` }) }));
});

test('row A6 the port of a loopback callback may not vary either (exact string match)', async () => {
  const app = await door.addApp({ callbacks: ['http://127.0.0.1:5000/cb'] });
  expectPage400(
    await knock(door, { path: authorizePath(app, { redirect_uri: 'http://127.0.0.1:5001/cb' }) }),
  );
});

test('row A7 without a callback in the request the only registered one is used', async () => {
  expectApproval(await ask({ redirect_uri: undefined }));
  const path = authorizePath(door.app, { redirect_uri: undefined, response_type: 'token' });
  expectRedirect(await knock(door, { path }), sentBack('unsupported_response_type'));
});

test('row A8 the query of a registered callback is kept and the answer appended to it', async () => {
  const app = await door.addApp({ callbacks: [`${CALLBACK}?from=old`] });
  const answer = await knock(door, { path: authorizePath(app, { response_type: 'token', state: 's' }) });
  expectRedirect(answer, `${CALLBACK}?from=old&error=unsupported_response_type&state=s`);
});

test('row A9 a callback with a fragment is an error page, and is never registered', async () => {
  expectPage400(await ask({ redirect_uri: `${CALLBACK}#x` }));
  await expect(door.addApp({ callbacks: [`${CALLBACK}#x`] })).rejects.toThrow('fragment');
});

test.each([
  ['A10 and B37 no response_type', undefined, 'invalid_request'],
  ['A11 and B37 token', 'token', 'unsupported_response_type'],
  ['B37 code token', 'code token', 'unsupported_response_type'],
  ['B37 CODE', 'CODE', 'unsupported_response_type'],
])('row %s goes back to the app with its state', async (_row, responseType, error) => {
  expectRedirect(await ask({ response_type: responseType, state: 's' }), sentBack(error, 's'));
});

// docs/old-api.md decides: the old API had no scopes, so that scope is ignored in place of invalid_scope.
test.each([
  ['unknown', 'no:such-scope'],
  ['of control characters', '\u0001\u0002\r\n'],
  ['of 2,500 words', 'ab '.repeat(2500)],
])('rows A12 and B40 a scope that is %s is ignored', async (_case, scope) => {
  expectApproval(await ask({ scope }));
});

test('row B40 a scope of 10,000 words is more than an address may hold', async () => {
  expect(await ask({ scope: 'ab '.repeat(10_000) })).toMatchObject({ status: 431, text: '' });
});

const STATES: Array<[name: string, raw: string]> = [
  ['2,040 characters of a script', '%3Cscript%3E'.repeat(170)],
  ['line breaks and a header', '%0d%0aSet-Cookie:x'],
  ['UTF-8', '%C3%A9%E2%9C%93'],
  ['a plus', 'a+b'],
  ['an encoded plus', 'a%2Bb'],
  ['another code', '%26code%3Dx'],
  ['a hash', '%23code=x'],
  ['an equals sign', 'a=b=='],
  ['a broken escape', '%zz%'],
  ['characters that need no escape', "-._~!$'()*,;:@/?"],
];

test.each(STATES)('rows A14 and B38 a state of %s comes back byte for byte', async (_name, raw) => {
  const answer = await ask({ response_type: 'token' }, `&state=${raw}`);
  expectRedirect(answer, sentBack('unsupported_response_type', raw));
  expect(answer.headers['set-cookie']).toBeUndefined();
});

test.each([
  ['a script', '<script>', '%3Cscript%3E'],
  ['double quotes', '"a"', '%22a%22'],
  ['characters that browsers send as they are', "{}|^`\\'", "{}|^`\\'"],
])('row B38 a state of raw %s comes back as an address may hold it', async (_name, raw, escaped) => {
  const answer = await ask({ response_type: 'token' }, `&state=${raw}`);
  expectRedirect(answer, sentBack('unsupported_response_type', escaped));
});

test('row B38 raw bytes beyond ASCII are no request at all', async () => {
  const answer = await ask({ response_type: 'token' }, `&state=${Buffer.from('é').toString('latin1')}`);
  expect(answer).toMatchObject({ status: 400, text: '' });
  expect(answer.headers.location).toBeUndefined();
});

test('row B38 a raw hash in a state opens no fragment at the app', async () => {
  const answer = await ask({ response_type: 'token' }, '&state=a#code=x');
  expectRedirect(answer, sentBack('unsupported_response_type', 'a%23code=x'));
});

test('row A14 without a state the answer has no state key', async () => {
  expectRedirect(await ask({ response_type: 'token' }), sentBack('unsupported_response_type'));
});

test('rows A18 and B46 no answer allows another origin to read it', async () => {
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
  for (const path of [authorizePath(door.app), '/1/oauth2/token.json', '/1/profiles.json']) {
    expectSound(await knock(door, { path, headers }));
    expect(await knock(door, { method: 'OPTIONS', path, headers })).toMatchObject({ status: 405 });
  }
});

test('row A20 errors for the app are printable ASCII', async () => {
  const { location } = (await ask({ response_type: 'é"\\', state: 's' })).headers;
  expect(location).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
});

test('row A21 a new http callback is refused, an imported one is matched exactly', async () => {
  await expect(door.addApp({ callbacks: ['http://app.example.com/cb'] })).rejects.toThrow('must be https');
  const app = await door.addApp();
  const uri = 'http://old.example.com/cb';
  await door.bridge.context.store.durable
    .insertInto('app_callbacks')
    .values({ client_id: app.clientId, uri })
    .execute();
  expectApproval(await knock(door, { path: authorizePath(app, { redirect_uri: uri }) }));
  expectPage400(await knock(door, { path: authorizePath(app, { redirect_uri: `${uri}/` }) }));
});

test('row B36 a retired app is an error page', async () => {
  const app = await door.addApp();
  await door.bridge.context.store.durable
    .updateTable('apps')
    .set({ retired_at: Date.now() })
    .where('client_id', '=', app.clientId)
    .execute();
  expectPage400(await knock(door, { path: authorizePath(app) }));
});

test('row B49 headers of a proxy or a foreign Host change no address', async () => {
  const headers = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    'x-forwarded-for': '6.6.6.6',
    'x-original-url': '/health',
    'x-rewrite-url': '/health',
    'x-forwarded-uri': '/health',
    forwarded: 'host=evil.example;proto=http',
  };
  expectApproval(await knock(door, { path: authorizePath(door.app), headers }));
});

test.each([
  '/OAUTH2/Authorize',
  '/oauth2/authorize/',
  '//oauth2/authorize',
  '/oauth2//authorize',
  '/oauth2/%61uthorize',
  '/oauth2/authorize;x',
  '/oauth2/authorize.json',
  '/oauth2/../oauth2/authorize',
  '/x/../oauth2/authorize',
  '/oauth2/authorize/..',
  '/1/../oauth2/authorize',
])('row B50 %s is not the old address', async (path) => {
  const before = await rowsOf(door);
  const answer = await knock(door, { path: authorizePath(door.app).replace('/oauth2/authorize', path) });
  expect(answer.status).toBe(404);
  expect(answer.headers.location).toBeUndefined();
  expect(await rowsOf(door)).toEqual(before);
});
