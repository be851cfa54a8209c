import { gzipSync } from 'node:zlib';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';

/** Token answers that a broken or a hostile server may give (docs/threats.md E97): nothing of them is stored. */

let system: System;
let clock: SettableClock;

beforeAll(async () => {
  clock = new SettableClock();
  system = await startSystem({ clock, env: { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' } });
});

afterAll(() => system.stop());

beforeEach(() => {
  system.proxy.onTokenAnswer = undefined;
  clock.advance(86_400_000);
});

const PATH = '/1/profiles.json';

async function latestGrant() {
  const { durable } = system.bridge.context.store;
  return durable
    .selectFrom('grants')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('updated_at', 'desc')
    .executeTakeFirstOrThrow();
}

async function expiredToken(): Promise<string> {
  const token = await issueToken(system);
  expect((await read(system, PATH, token)).status).toBe(200);
  clock.advance(3_700_000);
  return token;
}

const pair = {
  access_token: 'a'.repeat(43),
  refresh_token: 'r'.repeat(43),
  token_type: 'Bearer',
  expires_in: 3600,
};

type Made = { body: string | Buffer; headers?: Record<string, string> };

const packed = (text: string): Made => ({ body: gzipSync(text), headers: { 'content-encoding': 'gzip' } });

const UNUSABLE: Array<[what: string, made: (presented: string) => Made]> = [
  ['nothing', () => ({ body: '' })],
  ['an empty text', () => ({ body: '""' })],
  ['an empty object', () => ({ body: '{}' })],
  ['an error under 200', () => ({ body: '{"error":"invalid_grant"}' })],
  ['a page', () => ({ body: '<html>access_token</html>', headers: { 'content-type': 'text/html' } })],
  ['a whole pair of 5 MB', () => ({ body: JSON.stringify({ ...pair, more: 'x'.repeat(5_000_000) }) })],
  ['a pair of 5 MB in 5 kB', () => packed(JSON.stringify({ ...pair, more: 'x'.repeat(5_000_000) }))],
  ['what is not the gzip it says', () => ({ ...packed('x'), body: JSON.stringify(pair) })],
  ['a token with a line break', () => ({ body: JSON.stringify({ ...pair, access_token: 'a\r\nX: y' }) })],
  ['an empty token', () => ({ body: JSON.stringify({ ...pair, access_token: '' }) })],
  ['a refresh token in a list', () => ({ body: JSON.stringify({ ...pair, refresh_token: ['r'] }) })],
  ['no token type', () => ({ body: JSON.stringify({ ...pair, token_type: undefined }) })],
  [
    'the refresh token as it was',
    (presented) => ({ body: JSON.stringify({ ...pair, refresh_token: presented }) }),
  ],
];

test.each(UNUSABLE)(
  'row E97 a token answer of %s leaves what is stored as it was, and the process alive',
  async (_what, made) => {
    const token = await expiredToken();
    const before = await latestGrant();
    system.proxy.onTokenAnswer = ({ refreshToken = '' }) => {
      const { body, headers } = made(refreshToken);
      const json = { 'content-type': 'application/json' };
      return { status: 200, headers: { ...json, ...headers }, body: Buffer.from(body) };
    };
    const answer = await read(system, PATH, token);
    expect(answer.status).toBe(200);
    expect(Number(answer.headers['age'])).toBeGreaterThan(3000);
    expect(await latestGrant()).toMatchObject({
      state: 'in_doubt',
      version: before.version,
      access_token_sealed: before.access_token_sealed,
      refresh_token_sealed: before.refresh_token_sealed,
    });
  },
);

test.each<[string, string[]]>([
  ['of another content type', ['text/plain']],
  ['without a content type', []],
])('row E97 a whole pair %s is a pair: to lose it would lose the grant', async (_what, [type]) => {
  const token = await expiredToken();
  system.proxy.onTokenAnswer = (_call, answer) => {
    const { 'content-type': _old, ...headers } = answer.headers;
    return { ...answer, headers: { ...headers, ...(type && { 'content-type': type }) } };
  };
  expect((await read(system, PATH, token)).status).toBe(200);
  expect(await latestGrant()).toMatchObject({ state: 'ready', version: 2 });
});

test.each(['account:read', 'account:read posts:read posts:write account:write offline_access'])(
  'row E97 the scope "%s" that a refresh tells is what the grant is known to have',
  async (scope) => {
    const token = await expiredToken();
    system.proxy.onTokenAnswer = (_call, answer) => {
      const whole = JSON.parse(answer.body.toString()) as object;
      return { ...answer, body: Buffer.from(JSON.stringify({ ...whole, scope })) };
    };
    expect((await read(system, PATH, token)).status).toBe(200);
    expect(await latestGrant()).toMatchObject({ state: 'ready', version: 2, scope });
  },
);
