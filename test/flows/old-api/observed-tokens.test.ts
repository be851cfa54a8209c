import { EventEmitter, once } from 'node:events';
import { createStrangers } from '../../../src/domain/old-api/pass-through.ts';
import { createRefusedTokens } from '../../../src/domain/old-api/refused-tokens.ts';
import { newHexId, newLegacyToken } from '../../../src/shared/ids.ts';
import { until } from '../../support/servers/held-answer.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { type RawAnswer, rawForm, type RawRequest, sendRaw } from '../../support/callers/raw-request.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { testInProcess, testMode } from '../../support/jest/test-mode.ts';
import { actionsOf, addWaitingToken, mappingOf } from '../../support/bridge/waiting-token.ts';

/** Tokens that the bridge has never seen (docs/decisions/0017). */

const clock = new SettableClock();
const account: OldAccount = { tokens: [], user: { id: '4f0c0a06512f7ef214000000' }, profiles: [] };
const accounts = [account];
let old: OldBackend;
let system: System;
/** Of the account and app of the system. */
let issued: string;

beforeAll(async () => {
  old = await startOldBackend({ accounts });
  const env = { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ env, clock });
  issued = await issueToken(system);
});

beforeEach(async () => {
  clock.advance(60_001);
  old.requests.length = 0;
  await old.setBehaviour('normal');
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

/** A token that the old backend knows and the bridge does not. */
function strangeToken(owner: OldAccount = account): string {
  const token = newLegacyToken();
  old.addToken(owner.user.id, token);
  return token;
}

function call(token: string, wanted: Partial<RawRequest> = {}): Promise<RawAnswer> {
  const headers = { authorization: `Bearer ${token}`, ...wanted.headers };
  return sendRaw(system.bridgeUrl, { path: '/1/profiles.json', ...wanted, headers });
}

async function observed(token: string) {
  await until(async () => (await mappingOf(system.bridge, token)) !== undefined);
  const mapping = await mappingOf(system.bridge, token);
  if (!mapping) throw new Error('it was there');
  return mapping;
}

function appOf(clientId: string) {
  const { durable } = system.bridge.context.store;
  return durable.selectFrom('apps').selectAll().where('client_id', '=', clientId).executeTakeFirstOrThrow();
}

async function pairUser(userId: string, pair: { modern_id?: string; email?: string }): Promise<void> {
  const row = { kind: 'account', legacy_id: userId, ...pair, source: 'imported', created_at: 0 } as const;
  await system.bridge.context.store.durable.insertInto('id_pairs').values(row).execute();
}

/** An account of the old backend that nobody else has. */
function oldAccount(): OldAccount {
  const made: OldAccount = { tokens: [], user: { id: newHexId() } };
  accounts.push(made);
  return made;
}

const AGENT = 'WordPress/6.1; https://blog.example';

test('a token that the old backend accepts is answered by it and known from then on', async () => {
  const token = strangeToken();
  const answer = await call(token, { headers: { 'user-agent': AGENT } });
  expect([answer.status, answer.text]).toEqual([200, '[]']);
  const mapping = await observed(token);
  expect(mapping).toMatchObject({
    state: 'unmapped',
    source: 'observed',
    account_id: null,
    account_email: null,
    hint_first: token.slice(2, 6),
    hint_last: token.slice(-4),
  });
  expect(await actionsOf(system.bridge, mapping.id)).toEqual(['token_observed']);
  expect(await appOf(mapping.client_id)).toMatchObject({
    source: 'observed',
    name: 'unidentified program: WordPress https://blog.example',
    owner_account_id: null,
  });
  old.requests.length = 0;
  expect((await call(token)).status).toBe(200);
  expect(old.requests.map(({ target }) => target)).toEqual(['/1/profiles.json']);
});

testInProcess('the call by which a token became known is one of its calls', async () => {
  const token = strangeToken();
  await call(token, { headers: { 'user-agent': AGENT } });
  const { id } = await observed(token);
  const { store, usage } = system.bridge.context;
  const rows = async () => {
    await usage.flush();
    return store.volatile.selectFrom('usage').selectAll().where('mapping_id', '=', id).execute();
  };
  await until(async () => (await rows()).length > 0);
  expect(await rows()).toMatchObject([
    { endpoint: '/1/profiles.json', carrier: 'header', user_agent: AGENT, outcome: 'ok', calls: 1 },
  ]);
});

test('tokens of one program stand under one name, whatever its version; twenty calls at once keep one', async () => {
  const [one, two] = [strangeToken(), strangeToken()];
  const agents = [AGENT.replace('6.1', '6.2'), `${AGENT} (patched)`];
  await Promise.all([
    ...Array.from({ length: 20 }, () => call(one, { headers: { 'user-agent': agents[0]! } })),
    call(two, { headers: { 'user-agent': agents[1]! } }),
  ]);
  const [first, second] = [await observed(one), await observed(two)];
  expect(first.client_id).toBe(second.client_id);
  const { durable } = system.bridge.context.store;
  const apps = await durable.selectFrom('apps').select('name').where('source', '=', 'observed').execute();
  expect(apps).toHaveLength(1);
  expect(await actionsOf(system.bridge, first.id)).toEqual(['token_observed']);
});

/** The call was looked up before the token was stored, as on another process, or while the database was slow. */
testInProcess('a call is answered whose token another call made known while it waited', async () => {
  const token = strangeToken();
  const passStranger = createStrangers(system.bridge.context);
  await call(token);
  const { id } = await observed(token);
  const readCall = () =>
    Promise.resolve({
      method: 'GET',
      target: '/1/user.json',
      rawHeaders: ['Authorization', `Bearer ${token}`],
      body: Buffer.alloc(0),
      token,
      clientId: undefined,
      userAgent: undefined,
      requestId: 'waited',
      address: '127.0.0.1',
      carrier: 'header' as const,
    });
  const waited = { token, address: '127.0.0.1', readCall };
  expect(await passStranger(waited)).toMatchObject({ status: 200 });
  const { durable } = system.bridge.context.store;
  await durable.updateTable('mappings').set({ state: 'revoked' }).where('id', '=', id).execute();
  await expect(passStranger(waited)).rejects.toThrow('the legacy token is not served');
});

test('a call that needs no token proves nothing', async () => {
  const token = newLegacyToken();
  const wanted = { path: '/1/links/shares.json?url=x' };
  expect((await call(token, wanted)).json).toEqual({ shares: 47348 });
  await until(() => old.seen('GET', '/1/user.json').length === 1);
  await until(async () => (await call(token, wanted)).status === 401);
  expect(await mappingOf(system.bridge, token)).toBeUndefined();
});

test('a refused token is asked for once a minute', async () => {
  const token = newLegacyToken();
  const first = await call(token);
  expect(first.json).toEqual({ error: 'The provided access token is invalid', code: 401 });
  await system.bridge.untilShared();
  for (const path of ['/1/profiles.json', '/1/user.json', '/1/updates/create.json']) {
    const again = await call(token, { path });
    expect([again.status, again.json]).toEqual([401, first.json]);
  }
  expect(old.requests).toHaveLength(1);
  clock.advance(60_001);
  expect((await call(token)).status).toBe(401);
  expect(old.requests).toHaveLength(2);
});

test('a 401 of one path is not held against a good token; a wrong one is known by the user object', async () => {
  const path = '/1/updates/create.json';
  const body = '{"error":"Log in at the other service first","code":401}';
  await old.setBehaviour({ path, status: 401, headers: ['Content-Type', 'application/json'], body });
  const [good, wrong] = [strangeToken(), newLegacyToken()];
  expect(await call(good, { path, method: 'POST' })).toMatchObject({ status: 401, text: body });
  await system.bridge.untilShared();
  expect((await call(good)).status).toBe(200);
  await observed(good);
  expect(await call(wrong, { path, method: 'POST' })).toMatchObject({ status: 401, text: body });
  await system.bridge.untilShared();
  old.requests.length = 0;
  expect((await call(wrong)).status).toBe(401);
  expect(old.requests).toHaveLength(0);
});

test('a network may ask about eight tokens at once, and takes nothing from another', async () => {
  const limits = createRefusedTokens(system.bridge.context);
  const started: string[] = [];
  const gate = new EventEmitter();
  const ask = (address: string) =>
    limits.ask(address, async () => {
      started.push(address);
      if (started.length < 10) await once(gate, 'open');
    });
  const asked = Array.from({ length: 12 }, (_, n) => ask(`2001:db8:0:1::${n}`));
  asked.push(ask('2001:db8:0:2::1'));
  await until(() => started.length >= 9);
  expect(started).toHaveLength(9);
  gate.emit('open');
  await Promise.all(asked);
  expect(started).toHaveLength(13);
});

test('what fails at the old backend is not held against a token', async () => {
  const token = strangeToken();
  await old.setBehaviour('down');
  expect((await call(token)).status).toBe(503);
  await old.setBehaviour({ status: 500, body: 'oops' });
  expect(await call(token)).toMatchObject({ status: 500, text: 'oops' });
  await old.setBehaviour('normal');
  expect((await call(token)).status).toBe(200);
  await observed(token);
});

test('an address may send sixty refused tokens a minute, good ones apart', async () => {
  const guesses = await Promise.all(Array.from({ length: 70 }, () => call(newLegacyToken())));
  const statuses = guesses.map(({ status }) => status);
  await system.bridge.untilShared();
  const last = await call(newLegacyToken());
  expect([last.status, last.json]).toEqual([429, { error: expect.any(String), code: 429 }]);
  expect(last.headers['retry-after']).toMatch(/^\d+$/);
  // Two processes that have not heard of each other yet refuse as many each.
  if (testMode.workers === 1) {
    expect(statuses.filter((status) => status === 401)).toHaveLength(60);
    expect(old.requests).toHaveLength(60);
  }
  expect((await call(issued)).status).toBe(200);
  clock.advance(60_001);
  const tokens = Array.from({ length: 70 }, () => strangeToken());
  const good = await Promise.all(tokens.map((token) => call(token)));
  expect(new Set(good.map(({ status }) => status))).toEqual(new Set([200]));
  await Promise.all(tokens.map(observed));
});

test('what cannot be a token is refused without asking', async () => {
  for (const token of ['x'.repeat(513), 'a b', '1/\u00e9\u00e9'])
    expect(
      (
        await sendRaw(system.bridgeUrl, {
          method: 'POST',
          path: '/1/user.json',
          ...rawForm(new URLSearchParams({ access_token: token }).toString()),
        })
      ).status,
    ).toBe(401);
  expect(old.requests).toHaveLength(0);
});

test('an id pair proves the account, or says by which e-mail address it is known', async () => {
  const [paired, mailed] = [oldAccount(), oldAccount()];
  const accountId = newHexId();
  await pairUser(paired.user.id, { modern_id: accountId });
  await pairUser(mailed.user.id, { email: 'jo@example.com' });
  const [byId, byMail] = [strangeToken(paired), strangeToken(mailed)];
  await Promise.all([call(byId), call(byMail)]);
  expect(await observed(byId)).toMatchObject({ account_id: accountId, account_email: null });
  expect(await observed(byMail)).toMatchObject({ account_id: null, account_email: 'jo@example.com' });
  // Without a pair it waits for one.
  const [stranger, userId] = [strangeToken(), account.user.id];
  await call(stranger);
  expect(await observed(stranger)).toMatchObject({ account_id: null, legacy_account_id: userId });
});

test('a token of an app that is retired is refused without asking', async () => {
  const app = await system.registerApp('https://retired.example/callback');
  const { token } = await addWaitingToken(system.bridge, { clientId: app.clientId });
  const { durable } = system.bridge.context.store;
  await durable.updateTable('apps').set({ retired_at: 1 }).where('client_id', '=', app.clientId).execute();
  expect((await call(token)).status).toBe(401);
  expect(old.requests).toHaveLength(0);
});
