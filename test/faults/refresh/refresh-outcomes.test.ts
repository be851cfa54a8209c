import type { GrantState } from '../../../src/store/tables/tables.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';

/**
 * What each answer to a refresh makes of the grant (docs/decisions/0004), over HTTP against the embedded modern
 * generation. The bridge's clock is set forward past the access token's end, so that the next call must refresh.
 */

let system: System;
let clock: SettableClock;

beforeAll(async () => {
  clock = new SettableClock();
  const env = { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ clock, env });
});

afterAll(() => system.stop());

beforeEach(() => {
  system.proxy.onTokenAnswer = undefined;
  system.proxy.onTokenCall = undefined;
  // each test has a day of its own: nothing that an earlier one was asked to wait for reaches into it
  clock.advance(86_400_000);
});

async function liveGrant() {
  const { durable } = system.bridge.context.store;
  return durable
    .selectFrom('grants')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('updated_at', 'desc')
    .executeTakeFirstOrThrow();
}

/** A token whose access token has ended, and how many refreshes were sent so far. */
async function expiredToken() {
  const token = await issueToken(system);
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
  clock.advance(3_700_000);
  return { token, before: system.proxy.refreshes().length };
}

const sentSince = (before: number) => system.proxy.refreshes().length - before;

const json = { 'content-type': 'application/json' };

function answered(status: number, body: unknown, headers: Record<string, string> = json) {
  return { status, headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) };
}

interface Case {
  name: string;
  answer: ReturnType<typeof answered>;
  state: GrantState;
  callerGets: number;
}

const pair = {
  access_token: 'a'.repeat(43),
  refresh_token: 'r'.repeat(43),
  token_type: 'Bearer',
  expires_in: 3600,
};

const CASES: Case[] = [
  {
    name: '429 with Retry-After',
    answer: answered(429, {}, { ...json, 'retry-after': '7' }),
    state: 'ready',
    callerGets: 200,
  },
  {
    name: 'invalid_client',
    answer: answered(401, { error: 'invalid_client' }),
    state: 'ready',
    callerGets: 200,
  },
  {
    name: 'invalid_request',
    answer: answered(400, { error: 'invalid_request' }),
    state: 'ready',
    callerGets: 200,
  },
  {
    name: 'unauthorized_client',
    answer: answered(400, { error: 'unauthorized_client' }),
    state: 'ready',
    callerGets: 200,
  },
  {
    name: 'invalid_grant',
    answer: answered(400, { error: 'invalid_grant' }),
    state: 'dead',
    callerGets: 401,
  },
  {
    name: 'invalid_grant under 500',
    answer: answered(500, { error: 'invalid_grant' }),
    state: 'in_doubt',
    callerGets: 200,
  },
  {
    name: '500 HTML',
    answer: answered(500, '<h1>no</h1>', { 'content-type': 'text/html' }),
    state: 'in_doubt',
    callerGets: 200,
  },
  { name: '503', answer: answered(503, ''), state: 'in_doubt', callerGets: 200 },
  {
    name: '429 of plain text',
    answer: answered(429, 'slow down', { 'content-type': 'text/plain' }),
    state: 'in_doubt',
    callerGets: 200,
  },
  ...[
    { name: '400 HTML', answer: answered(400, '<h1>no</h1>', { 'content-type': 'text/html' }) },
    { name: '400 without a body', answer: answered(400, '') },
    { name: '400 of broken JSON', answer: answered(400, '{"error":"invalid_request"') },
    { name: '400 without an error', answer: answered(400, { message: 'invalid_client' }) },
    { name: '400 with an error that is no text', answer: answered(400, { error: ['invalid_client'] }) },
    { name: '400 of another error', answer: answered(400, { error: 'invalid_scope' }) },
    { name: '401 HTML', answer: answered(401, '<h1>who?</h1>', { 'content-type': 'text/html' }) },
    { name: '403 without a body', answer: answered(403, '') },
    { name: '404 that names invalid_client', answer: answered(404, { error: 'invalid_client' }) },
    { name: '503 with Retry-After', answer: answered(503, '', { 'retry-after': '7' }) },
    {
      name: '503 with Retry-After and an error',
      answer: answered(503, { error: 'temporarily_unavailable' }, { ...json, 'retry-after': '7' }),
    },
    { name: '429 of broken JSON', answer: answered(429, '{"error":"slow_down"') },
    {
      name: '429 HTML with a Retry-After that says nothing',
      answer: answered(429, '<h1>slow</h1>', { 'content-type': 'text/html', 'retry-after': 'soon' }),
    },
  ].map((unclear) => ({ ...unclear, state: 'in_doubt' as const, callerGets: 200 })),
  { name: '200 null', answer: answered(200, 'null'), state: 'in_doubt', callerGets: 200 },
  { name: '200 list', answer: answered(200, '[]'), state: 'in_doubt', callerGets: 200 },
  {
    name: '200 broken JSON',
    answer: answered(200, '{"access_token":"x'),
    state: 'in_doubt',
    callerGets: 200,
  },
  {
    name: '200 form',
    answer: answered(200, 'access_token=FORM&refresh_token=R'),
    state: 'in_doubt',
    callerGets: 200,
  },
  {
    name: '200 without refresh_token',
    answer: answered(200, { ...pair, refresh_token: undefined }),
    state: 'in_doubt',
    callerGets: 200,
  },
  {
    name: '200 with a token object',
    answer: answered(200, { ...pair, access_token: {} }),
    state: 'in_doubt',
    callerGets: 200,
  },
  {
    name: '200 of another token_type',
    answer: answered(200, { ...pair, token_type: 'mac' }),
    state: 'in_doubt',
    callerGets: 200,
  },
  {
    name: '302',
    answer: answered(302, '', { location: 'http://127.0.0.1:9/' }),
    state: 'in_doubt',
    callerGets: 200,
  },
  {
    name: '307',
    answer: answered(307, '', { location: 'http://127.0.0.1:9/' }),
    state: 'in_doubt',
    callerGets: 200,
  },
];

test.each(CASES)(
  '$name leaves the grant $state and asks only once',
  async ({ answer, state, callerGets }) => {
    const { token, before } = await expiredToken();
    system.proxy.onTokenAnswer = () => answer;
    const first = await read(system, '/1/profiles.json', token);
    const second = await read(system, '/1/profiles.json', token);
    expect([first.status, second.status]).toEqual([callerGets, callerGets]);
    expect(sentSince(before)).toBe(1);
    expect(await liveGrant()).toMatchObject({ state, version: 1 });
    if (callerGets === 200) expect(Number(first.headers['age'])).toBeGreaterThan(3000);
  },
);

test.each([3599.1234567, '3600', -1, 0, 1e30, null, 'soon', undefined])(
  'a lifetime of %p is made usable, and the pair is kept',
  async (expires_in) => {
    const { token } = await expiredToken();
    system.proxy.onTokenAnswer = (_call, answer) => {
      const whole = JSON.parse(answer.body.toString()) as object;
      return { ...answer, body: Buffer.from(JSON.stringify({ ...whole, expires_in })) };
    };
    expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
    const grant = await liveGrant();
    expect(grant).toMatchObject({ state: 'ready', version: 2 });
    expect(grant.access_expires_at - clock.now()).toBeGreaterThan(0);
    expect(grant.access_expires_at - clock.now()).toBeLessThanOrEqual(365 * 86_400_000);
  },
);

test('an answer that is lost on the way back leaves the grant in doubt, and its token is not presented again at once', async () => {
  const { token, before } = await expiredToken();
  system.proxy.onTokenAnswer = () => {
    throw new Error('cut');
  };
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
  expect(sentSince(before)).toBe(1);
  expect(await liveGrant()).toMatchObject({ state: 'in_doubt', version: 1 });
});

test('a request that was lost before it arrived is presented once more after the quiet time, and the grant recovers', async () => {
  const { token, before } = await expiredToken();
  system.proxy.onTokenCall = () => {
    throw new Error('cut');
  };
  await read(system, '/1/profiles.json', token);
  expect(await liveGrant()).toMatchObject({ state: 'in_doubt', version: 1 });
  system.proxy.onTokenCall = undefined;
  clock.advance(200_000);
  await read(system, '/1/profiles.json', token);
  expect(sentSince(before)).toBe(1);
  clock.advance(101_000);
  const recovered = await read(system, '/1/profiles.json', token);
  expect(recovered.status).toBe(200);
  expect(recovered.headers['age']).toBeUndefined();
  expect(sentSince(before)).toBe(2);
  expect(await liveGrant()).toMatchObject({ state: 'ready', version: 2, doubt_since: null });
});

test('in doubt without introspection, another live grant of the account on the same client forbids presenting again', async () => {
  const other = await system.registerApp('https://other-app.example/callback');
  await issueToken(system, { app: other });
  const { token, before } = await expiredToken();
  system.proxy.onTokenCall = () => {
    throw new Error('cut');
  };
  await read(system, '/1/profiles.json', token);
  system.proxy.onTokenCall = undefined;
  clock.advance(400_000);
  const answer = await read(system, '/1/profiles.json', token);
  expect(answer.status).toBe(401);
  expect(answer.json).toMatchObject({
    code: 401,
    reauthorize: { link: `${system.bridgeUrl}/apps/${system.app.clientId}` },
  });
  expect(sentSince(before)).toBe(1);
  const { durable } = system.bridge.context.store;
  const grants = await durable
    .selectFrom('grants')
    .select(['client_id', 'state', 'dead_cause'])
    .where('dead_cause', '=', 'lost')
    .execute();
  expect(grants).toEqual([{ client_id: system.app.clientId, state: 'dead', dead_cause: 'lost' }]);
});

test('a dead grant costs no further request', async () => {
  const { token } = await expiredToken();
  system.proxy.onTokenAnswer = () => answered(400, { error: 'invalid_grant' });
  await read(system, '/1/profiles.json', token);
  const before = system.proxy.refreshes().length;
  for (let call = 0; call < 5; call += 1) {
    expect((await read(system, '/1/profiles.json', token)).status).toBe(401);
  }
  expect(sentSince(before)).toBe(0);
});
