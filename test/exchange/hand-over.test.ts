import { lostHandovers } from '../../src/domain/handover/awaited.ts';
import { newestUnconfirmed } from '../../src/domain/handover/unconfirmed.ts';
import { purgeExpired } from '../../src/domain/purge-expired.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { freshCode, issueToken, read } from '../support/callers/legacy-calls.ts';
import { exchange as exchangeCode } from '../support/callers/legacy-calls.ts';
import { type RawAnswer, sendRaw } from '../support/callers/raw-request.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import type { System } from '../support/bridge/system.ts';
import { testInProcess } from '../support/jest/test-mode.ts';
import {
  confirm,
  exchange,
  fieldOf,
  OWN_CLIENT,
  PUBLIC_CLIENT,
  refreshAsApp,
  startSystemWithOwnClient,
  useOwnClient,
} from './support/own-client.ts';

/** POST /oauth2/exchange: the modern pair goes to the app's own client, and the bridge never presents it again. */

let system: System;
let clock: SettableClock;

beforeAll(async () => {
  clock = new SettableClock();
  system = await startSystemWithOwnClient({
    clock,
    env: { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0' },
  });
});

afterAll(() => system.stop());

async function actionsOf(grantToken: string): Promise<string[]> {
  const { durable } = system.bridge.context.store;
  const mapping = await durable
    .selectFrom('mappings')
    .select(['grant_id'])
    .where('token_digest', 'in', system.bridge.context.vault.digests(grantToken))
    .executeTakeFirstOrThrow();
  const rows = await durable
    .selectFrom('events')
    .select('action')
    .where('grant_id', '=', mapping.grant_id)
    .orderBy('id')
    .execute();
  return rows.map(({ action }) => action);
}

test('a consent names the own client, the bridge serves by it, and the whole pair goes to the app', async () => {
  const token = await issueToken(system);
  const second = await issueToken(system);
  const unspent = await freshCode(system);
  expect((await read(system, '/1/profiles.json', token)).status).toBe(200);
  const answer = await exchange(system.bridgeUrl, token);
  expect(answer.status).toBe(200);
  expect(answer.headers['cache-control']).toContain('no-store');
  expect(answer.json).toEqual({
    access_token: expect.any(String),
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    token_type: 'Bearer',
    expires_in: expect.any(Number),
    refresh_token: expect.any(String),
    scope: expect.stringContaining('account:read'),
    migrated_tokens: 2,
  });
  for (const old of [token, second]) {
    const refused = await read(system, '/1/profiles.json', old);
    expect([refused.status, fieldOf(refused, 'reauthorize')]).toEqual([
      401,
      { reason: expect.stringContaining('moved to the new API'), link: expect.stringContaining('/apps/') },
    ]);
  }
  expect((await exchangeCode(system, unspent)).status).toBe(400);
  expect(await actionsOf(token)).toEqual(expect.arrayContaining(['grant_handed_over', 'token_migrated']));
  const before = system.proxy.refreshes().length;
  const refreshed = await refreshAsApp(system, String(fieldOf(answer, 'refresh_token')), OWN_CLIENT);
  expect([refreshed.status, typeof refreshed.body['refresh_token']]).toEqual([200, 'string']);
  expect(system.proxy.refreshes().length).toBe(before + 1);
});

test('repeats get the same pair until the app confirms; then it is gone here, and lives on there', async () => {
  const token = await issueToken(system);
  const first = await exchange(system.bridgeUrl, token);
  const again = await Promise.all([exchange(system.bridgeUrl, token), exchange(system.bridgeUrl, token)]);
  for (const repeated of again) {
    expect(repeated.status).toBe(200);
    expect(fieldOf(repeated, 'refresh_token')).toBe(fieldOf(first, 'refresh_token'));
  }
  const waiting = async () => (await newestUnconfirmed(system.bridge.context, 100)).pairs.length;
  const before = await waiting();
  expect((await confirm(system.bridgeUrl, token)).json).toEqual({ confirmed: true, migrated_tokens: 1 });
  expect(await waiting()).toBe(before - 1);
  expect((await confirm(system.bridgeUrl, token)).json).toEqual({ confirmed: true, migrated_tokens: 1 });
  const late = await exchange(system.bridgeUrl, token);
  expect([late.status, fieldOf(late, 'error')]).toEqual([400, 'invalid_request']);
  expect(fieldOf(late, 'error_description')).toContain('has confirmed this hand-over');
  expect((await refreshAsApp(system, String(fieldOf(first, 'refresh_token')), OWN_CLIENT)).status).toBe(200);
});

test('many at once: one hand-over, one pair for all', async () => {
  const token = await issueToken(system);
  const answers = await Promise.all(Array.from({ length: 12 }, () => exchange(system.bridgeUrl, token)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  expect(new Set(answers.map((answer) => fieldOf(answer, 'refresh_token'))).size).toBe(1);
  expect((await actionsOf(token)).filter((action) => action === 'grant_handed_over')).toHaveLength(1);
});

testInProcess(
  'a call that read the token before another call moved the pair gets the same pair',
  async () => {
    const token = await issueToken(system);
    const { store } = system.bridge.context;
    const first = store.first.bind(store);
    let faster: RawAnswer | undefined;
    store.first = async (sql, parameters) => {
      const row = await first<object>(sql, parameters);
      store.first = first;
      faster ??= await exchange(system.bridgeUrl, token);
      return row as never;
    };
    const slower = await exchange(system.bridgeUrl, token);
    expect([slower.status, faster?.status]).toEqual([200, 200]);
    expect(fieldOf(slower, 'refresh_token')).toBe(faster && fieldOf(faster, 'refresh_token'));
  },
);

test('a later authorization is a grant of its own, and ending it ends nothing of what was handed over', async () => {
  const token = await issueToken(system);
  const handed = await exchange(system.bridgeUrl, token);
  const later = await issueToken(system);
  expect((await read(system, '/1/user.json', later)).status).toBe(200);
  expect(fieldOf(await exchange(system.bridgeUrl, token), 'refresh_token')).toBe(
    fieldOf(handed, 'refresh_token'),
  );
  expect((await read(system, '/1/user/deauthorize.json', later)).status).toBe(200);
  await system.bridge.context.flights.run('owed-revocations', async () => undefined);
  expect(system.proxy.revoked()).toEqual([]);
  expect((await refreshAsApp(system, String(fieldOf(handed, 'refresh_token')), OWN_CLIENT)).status).toBe(200);
});

test('an unconfirmed pair is erased after seven days, and stays listed until its app confirms', async () => {
  const token = await issueToken(system);
  expect((await exchange(system.bridgeUrl, token)).status).toBe(200);
  clock.advance(7 * DAY + 1000);
  await purgeExpired(system.bridge.context);
  expect((await exchange(system.bridgeUrl, token)).status).toBe(400);
  const [last] = (await newestUnconfirmed(system.bridge.context, 100)).pairs;
  expect(last).toMatchObject({ clientId: system.app.clientId, isKept: false });
  const lost = await lostHandovers(system.bridge.context, system.app.clientId);
  expect((await confirm(system.bridgeUrl, token)).json).toEqual({ confirmed: true, migrated_tokens: 1 });
  expect(await lostHandovers(system.bridge.context, system.app.clientId)).toBe(lost - 1);
});

describe('what is refused changes nothing', () => {
  let token: string;

  beforeAll(async () => {
    token = await issueToken(system);
  });

  afterEach(async () => {
    expect((await read(system, '/1/user.json', token)).status).toBe(200);
  });

  test.each([
    ['a wrong secret', { client_secret: 'wrong' }, 400, 'invalid_client'],
    ['an unknown client', { client_id: 'nobody' }, 400, 'invalid_client'],
    ['the bridge itself', { client_id: 'grantbridge-under-test', client_secret: 'x' }, 400, 'invalid_client'],
    ['no client', { client_id: undefined, client_secret: undefined }, 400, 'invalid_client'],
    ['no token', { subject_token: undefined }, 400, 'invalid_request'],
    ['an unknown token', { subject_token: '1/00000000000000000000000000000000' }, 400, 'invalid_request'],
    [
      'another type of token',
      { subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' },
      400,
      'invalid_request',
    ],
    ['an actor', { actor_token: 'x' }, 400, 'invalid_request'],
    ['another grant type', { grant_type: 'refresh_token' }, 400, 'unsupported_grant_type'],
    ['no grant type', { grant_type: undefined }, 400, 'invalid_request'],
    [
      'a confirmation of nothing',
      { grant_type: 'urn:grantbridge:params:oauth:grant-type:confirm-exchange' },
      400,
      'invalid_request',
    ],
  ])('%s', async (_name, change, status, error) => {
    const answer = await exchange(system.bridgeUrl, token, change);
    expect([answer.status, fieldOf(answer, 'error')]).toEqual([status, error]);
    expect(answer.text).not.toContain(token);
  });

  test('another method, another body, and a token in the address', async () => {
    const get = await sendRaw(system.bridgeUrl, { path: '/oauth2/exchange' });
    expect([get.status, get.headers['allow']]).toEqual([405, 'POST']);
    const json = await sendRaw(system.bridgeUrl, {
      method: 'POST',
      path: '/oauth2/exchange',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ subject_token: token }),
    });
    expect([json.status, fieldOf(json, 'error')]).toEqual([400, 'invalid_request']);
    const many = await sendRaw(system.bridgeUrl, {
      method: 'POST',
      path: '/oauth2/exchange',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a&'.repeat(1100),
    });
    expect([many.status, fieldOf(many, 'error')]).toEqual([400, 'invalid_request']);
    const address = await sendRaw(system.bridgeUrl, {
      method: 'POST',
      path: `/oauth2/exchange?subject_token=${token}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=x',
    });
    expect([address.status, fieldOf(address, 'error')]).toEqual([400, 'invalid_request']);
  });
});

test('a grant of the bridge’s own client is not given away', async () => {
  const other = await registerLegacyApp(
    system.bridge,
    'https://other.example/cb',
    'o@other.example',
    PUBLIC_CLIENT.ofApp,
  );
  const token = await issueToken(system, { app: other });
  await useOwnClient({ bridge: system.bridge, app: other }, PUBLIC_CLIENT);
  const asked = { client_id: PUBLIC_CLIENT.clientId, client_secret: other.clientSecret };
  const refused = await exchange(system.bridgeUrl, token, asked);
  expect([refused.status, fieldOf(refused, 'error')]).toEqual([400, 'unauthorized_client']);
  expect((await read(system, '/1/user.json', token)).status).toBe(200);
  // With a consent through the public client it is; who asks is then shown by the app's secret here.
  const own = await issueToken(system, { app: other });
  const wrong = await exchange(system.bridgeUrl, own, { ...asked, client_secret: OWN_CLIENT.clientSecret });
  expect(fieldOf(wrong, 'error')).toBe('invalid_client');
  const handed = await exchange(system.bridgeUrl, own, asked);
  expect([handed.status, fieldOf(handed, 'migrated_tokens')]).toEqual([200, 2]);
  expect((await refreshAsApp(system, String(fieldOf(handed, 'refresh_token')), PUBLIC_CLIENT)).status).toBe(
    200,
  );
});

test.each(['presenting', 'in_doubt'] as const)(
  'a grant that is %s is not given away until it is settled',
  async (state) => {
    const token = await issueToken(system);
    const { durable } = system.bridge.context.store;
    const { version, id } = await durable
      .selectFrom('grants')
      .selectAll()
      .where('state', '=', 'ready')
      .where('client_id', '=', system.app.clientId)
      .executeTakeFirstOrThrow();
    const now = clock.now();
    const unsettled = {
      state,
      presented_at: now,
      claim_id: 'c',
      retry_at: now + 3_000_000,
      doubt_since: now,
    };
    await durable.updateTable('grants').set(unsettled).where('id', '=', id).execute();
    const answer = await exchange(system.bridgeUrl, token);
    expect([answer.status, fieldOf(answer, 'error'), answer.headers['retry-after']]).toEqual([
      503,
      'temporarily_unavailable',
      '5',
    ]);
    const settled = {
      state: 'ready',
      presented_at: null,
      claim_id: null,
      retry_at: 0,
      doubt_since: null,
    } as const;
    await durable
      .updateTable('grants')
      .set(settled)
      .where('id', '=', id)
      .where('version', '=', version)
      .execute();
    expect((await exchange(system.bridgeUrl, token)).status).toBe(200);
  },
);
