import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createDiscovery } from '../../src/upstream/discovery.ts';
import { createAuthorizationServer } from '../../src/upstream/authorization-server.ts';
import { createBreaker } from '../../src/upstream/breaker.ts';
import type { HttpAnswer } from '../../src/upstream/http-client.ts';
import { createMainApi, Forbidden, throwRefusal, Unauthorized } from '../../src/upstream/main-api.ts';
import { Unavailable } from '../../src/upstream/outcomes.ts';
import { answerData } from '../../src/upstream/posts/answer-data.ts';
import { portOf } from '../support/servers/free-port.ts';

/** What single answers of a modern side prove, from a server that answers as each test says. */

type Answers = Record<string, [status: number, body: unknown, headers?: Record<string, string>]>;

let server: Server;
let answers: Answers = {};
let origin = '';
/** An answer is chosen when its request arrives and leaves when this resolves. */
let held = Promise.resolve();
let arrived: () => void = () => undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    const [status, body, headers] = answers[request.url ?? ''] ?? [404, {}];
    arrived();
    void held.then(() => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${portOf(server)}`;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const clock = { now: Date.now };
const asClient = () =>
  createAuthorizationServer({ authUrl: origin, client: { clientId: 'b', clientSecret: 's' }, clock });

const OPENID = '/.well-known/openid-configuration';
const OAUTH = '/.well-known/oauth-authorization-server';

const document = () => ({
  issuer: origin,
  introspection_endpoint: `${origin}/introspect`,
  revocation_endpoint: `${origin}/revoke`,
});

test.each<[string, number, unknown]>([
  ['429', 429, {}],
  ['403', 403, {}],
  ['500', 500, {}],
  ['200 HTML', 200, '<html>'],
  ['200 list', 200, []],
])(
  'discovery that answers %s proves nothing: no endpoint is taken for missing',
  async (_name, status, body) => {
    answers = { [OPENID]: [status, body], [OAUTH]: [status, body] };
    const client = asClient();
    await expect(client.isLive('t')).rejects.toBeInstanceOf(Unavailable);
    await expect(client.revoke('t')).rejects.toBeInstanceOf(Unavailable);
  },
);

test('a server without discovery has no introspection and no revocation', async () => {
  answers = {};
  expect(await asClient().isLive('t')).toBeUndefined();
  expect(await asClient().revoke('t')).toBe(false);
});

const FOREIGN: Array<[what: string, address: () => string]> = [
  ['another host', () => 'https://elsewhere.example/x'],
  ['another port', () => 'http://127.0.0.1:9/x'],
  ['another scheme', () => `${origin.replace('http:', 'https:')}/x`],
  ['the own host as a user name', () => `${origin}@127.0.0.1:9/x`],
  ['no scheme', () => '//127.0.0.1:9/x'],
  ['a data: address', () => 'data:application/json,{"active":true}'],
  ['a path alone', () => '/introspect'],
  ['a blob: address', () => `blob:${origin}/x`],
  ['the own host with a user name', () => `${origin.replace('//', '//user:word@')}/x`],
];

test.each(FOREIGN)('row E106 an endpoint of %s in the discovery is never asked', async (_what, address) => {
  const names = ['introspection', 'revocation', 'token', 'authorization', 'userinfo'];
  const foreign = Object.fromEntries(names.map((name) => [`${name}_endpoint`, address()]));
  const pair = { access_token: 'a', refresh_token: 'r2', token_type: 'Bearer', expires_in: 60 };
  answers = {
    [OPENID]: [200, { ...document(), ...foreign }],
    '/introspect': [200, { active: true }],
    '/token': [200, pair],
  };
  const client = asClient();
  expect(client.authorizationUrl).toBe(`${origin}/auth`);
  expect(await client.isLive('t')).toBeUndefined();
  expect(await client.revoke('t')).toBe(false);
  const presented = { account: 'a', refreshToken: 'r', scope: 'account:read' };
  expect(await client.refresh(await client.connect(), presented)).toMatchObject({ refreshToken: 'r2' });
});

test.each<[string, number, unknown, boolean | undefined]>([
  ['active', 200, { active: true }, true],
  ['not active', 200, { active: false }, false],
  ['that the client may not ask', 401, { error: 'unauthorized_client' }, undefined],
  ['that it denies access', 403, { error: 'access_denied' }, undefined],
])('introspection that answers %s says %p', async (_name, status, body, live) => {
  answers = { [OPENID]: [200, document()], '/introspect': [status, body] };
  expect(await asClient().isLive('t')).toBe(live);
});

test.each<[string, number, unknown]>([
  ['503', 503, {}],
  ['200 without a word', 200, {}],
  ['404 of a gateway', 404, '<html>'],
  ['403 of a firewall', 403, '<html>'],
  ['401 without a reason', 401, {}],
  ['a wrong secret', 401, { error: 'invalid_client' }],
])('introspection that answers %s proves nothing', async (_name, status, body) => {
  answers = { [OPENID]: [200, document()], '/introspect': [status, body] };
  await expect(asClient().isLive('t')).rejects.toBeInstanceOf(Unavailable);
});

test('metadata that were there and are not found stay known, and are asked for again', async () => {
  const [known, now] = [{ ...document() }, { ms: 0 }];
  answers = { [OPENID]: [200, known] };
  const discovery = createDiscovery(origin, () => now.ms);
  const before = await discovery.metadata();
  expect(before.introspectionEndpoint).toBe(known.introspection_endpoint);
  answers = {};
  now.ms += 11 * 60_000;
  expect(await discovery.metadata()).toEqual(before);
  answers = { [OPENID]: [200, { ...known, issuer: 'https://new.example' }] };
  now.ms += 4000;
  expect((await discovery.metadata()).issuer).toBe('https://new.example');
});

test('a revocation that fails is still owed', async () => {
  answers = { [OPENID]: [200, document()], '/revoke': [503, {}] };
  await expect(asClient().revoke('t')).rejects.toBeInstanceOf(Unavailable);
  answers['/revoke'] = [200, ''];
  expect(await asClient().revoke('t')).toBe(true);
});

const RETRY = { 'retry-after': '7' };

test.each<[string, string, number, unknown, Record<string, string>]>([
  ['429 with a JSON body', 'Unavailable', 429, {}, {}],
  ['429 with Retry-After', 'Unavailable', 429, 'slow down', RETRY],
  ['429 with neither', 'InDoubt', 429, 'slow down', {}],
  ['400 invalid_client', 'Rejected', 400, { error: 'invalid_client' }, {}],
  ['400 invalid_grant', 'Rejected', 400, { error: 'invalid_grant' }, {}],
  ['400 HTML', 'InDoubt', 400, '<h1>no</h1>', {}],
  ['400 of broken JSON', 'InDoubt', 400, '{"error":"invalid_client"', {}],
  ['401 HTML', 'InDoubt', 401, '<h1>who?</h1>', {}],
  ['403 without a body', 'InDoubt', 403, '', {}],
  ['503 with Retry-After', 'InDoubt', 503, '', RETRY],
  ['503 with Retry-After and an error', 'InDoubt', 503, { error: 'invalid_client' }, RETRY],
  ['502 that names invalid_grant', 'InDoubt', 502, { error: 'invalid_grant' }, {}],
])('a refresh that is answered %s is %s', async (_name, failure, status, body, headers) => {
  answers = { '/token': [status, body, headers] };
  const client = asClient();
  const presented = { account: 'a', refreshToken: 'r', scope: 'account:read' };
  await expect(client.refresh(await client.connect(), presented)).rejects.toMatchObject({ name: failure });
});

const newBreaker = () => createBreaker<HttpAnswer>({ isFault: () => false, tell: () => undefined });

const account = { id: 'a', email: 'e', organizations: [] };

test('Retry-After of the main API outlives a better answer that was on its way', async () => {
  const api = createMainApi({ apiUrl: origin, clock, reads: newBreaker() });
  let release: (() => void) | undefined;
  held = new Promise((resolve) => (release = resolve));
  answers = { '/': [200, { data: { account } }] };
  const atServer = new Promise<void>((resolve) => (arrived = resolve));
  const onItsWay = api.read('t', []);
  await atServer;
  held = Promise.resolve();
  answers = { '/': [429, {}, { 'retry-after': '60' }] };
  await expect(api.read('t', [])).rejects.toMatchObject({ retryAfter: 60_000 });
  release?.();
  await onItsWay;
  answers = { '/': [200, { data: { account } }] };
  await expect(api.read('t', [])).rejects.toBeInstanceOf(Unavailable);
});

test('what is left of the budget is read from the answers, and an empty one is waited out', async () => {
  const api = createMainApi({ apiUrl: origin, clock, reads: newBreaker() });
  const policy = '"100-in-15min";q=100;w=900, "250-in-24h";q=250;w=86400';
  const left = (r: number) => ({
    'ratelimit-policy': policy,
    ratelimit: `"100-in-15min";r=${r};t=30, "250-in-24h";r=200;t=9`,
  });
  answers = { '/': [200, { data: { account } }, left(20)] };
  await api.read('t', []);
  expect(api.remainingShare()).toBeCloseTo(0.2);
  answers = { '/': [200, { data: { account } }, left(0)] };
  await api.read('t', []);
  await expect(api.read('t', [])).rejects.toMatchObject({ name: 'Unavailable' });
});

test('when the tightest window has opened again the share that is left is that of the next one', async () => {
  let passed = 0;
  const api = createMainApi({
    apiUrl: `${origin}/`,
    clock: { now: () => Date.now() + passed },
    reads: newBreaker(),
  });
  const headers = {
    ratelimit: '"100-in-15min";r=5;t=60, "3000-in-30day";r=600;t=600000',
    'ratelimit-policy': '"100-in-15min";q=100;w=900, "3000-in-30day";q=3000;w=2592000',
  };
  answers = { '/': [200, { data: { account } }, headers] };
  await api.read('t', []);
  const start = Date.now();
  expect([api.remainingShare(), api.reopensAt() <= start + 60_000]).toEqual([0.05, true]);
  passed = 61_000;
  expect([api.remainingShare(), api.reopensAt() > start + 500_000_000]).toEqual([0.2, true]);
  passed = 601_000_000;
  expect(api.remainingShare()).toBe(1);
});

const reading = (body: object): HttpAnswer => ({ status: 200, headers: {}, body: JSON.stringify(body) });

test.each([
  ['a path that is a text', { message: 'no', path: 'account' }],
  ['a path with null', { message: 'no', path: [null] }],
  ['a code that is a number', { message: 'no', extensions: { code: 7 } }],
])('an error with %s hides no other error', (_words, odd) => {
  const refused = { message: 'no', extensions: { code: 'UNAUTHENTICATED' } };
  expect(() => throwRefusal(reading({ data: null, errors: [odd, refused] }), 0)).toThrow(Unauthorized);
});

const UNREAD = { posts: { edges: null } };

test.each([
  ['no list of errors', undefined],
  ['null', null],
  ['an empty list', []],
])('a list of posts that is null beside %s was not taken away by an error', (_words, errors) => {
  expect(answerData(reading({ data: UNREAD, errors }), 0)).toEqual(UNREAD);
});

const readWithErrorAt = (...path: unknown[]) => {
  const errors = [{ message: 'no', path, extensions: { code: 'FORBIDDEN' } }];
  return () => answerData(reading({ data: UNREAD, errors }), 0);
};

test('an error takes a list of posts away; at the place of the list its code counts', () => {
  expect(readWithErrorAt('posts', 'edges', 0, 'node', 'assets')).toThrow(Unavailable);
  expect(readWithErrorAt('posts', 'edges')).toThrow(Forbidden);
});
