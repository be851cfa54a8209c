import { randomBytes } from 'node:crypto';
import type { NewMapping } from '../../../src/store/tables/tables.ts';
import type { LegacyApp } from '../../support/callers/authorize.ts';
import { until } from '../../support/servers/held-answer.ts';
import { authorizeIn, issueToken, read } from '../../support/callers/legacy-calls.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { openStoreBreaker, type StoreBreaker } from '../../support/database/store-breaker.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { testMode } from '../../support/jest/test-mode.ts';
import { addWaitingToken } from '../../support/bridge/waiting-token.ts';

/** By which ids an app is told of what it knew in the older generation (docs/decisions/0016). */

interface Profile {
  id: string;
  _id: string;
  user_id: string;
  team_members: string[];
  service: string;
  service_id: string;
}

const clock = new SettableClock();
let system: System;
let old: OldBackend;
let breaker: StoreBreaker;
let account: OldAccount;
let accountId: string;
let modern: Profile[];

/** What one process remembers, another of two may not have met yet. */
const testInOneProcess = testMode.workers > 1 ? test.skip : test;

/** The id that the older generation had for it: another one, in the same form. */
const legacyOf = (id: string) => id.split('').toReversed().join('');

const oldProfiles = () =>
  modern.map(({ id, service, service_id }) => ({ id: legacyOf(id), service, service_id }));

const durable = () => system.bridge.context.store.durable;

const newApp = () => system.registerApp(`https://app-${randomBytes(4).toString('hex')}.example/callback`);

/** A token from before the bridge that waits for the account; the old backend knows it too. */
async function importToken(
  app: LegacyApp,
  owner: Partial<Pick<NewMapping, 'account_id' | 'source' | 'legacy_account_id'>> = {},
) {
  const waiting = { clientId: app.clientId, accountId: owner.account_id ?? accountId };
  const { token, mappingId } = await addWaitingToken(system.bridge, waiting);
  const row = { account_id: accountId, app_proven: 1, ...owner };
  await durable().updateTable('mappings').set(row).where('id', '=', mappingId).execute();
  account.tokens.push(token);
  return token;
}

/** The same, mapped by a consent. */
async function movedToken(app?: LegacyApp): Promise<{ token: string; app: LegacyApp }> {
  const owned = app ?? (await newApp());
  const token = await importToken(owned);
  await authorizeIn(system, { app: owned });
  return { token, app: owned };
}

const profilesOf = async (token: string) => {
  const answer = await read(system, '/1/profiles.json', token);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.json as Profile[];
};

const idsOf = async (token: string) => (await profilesOf(token)).map(({ id }) => id);

const modernIds = () => modern.map(({ id }) => id);
const legacyIds = () => modern.map(({ id }) => legacyOf(id));
const pairs = () => durable().selectFrom('id_pairs').selectAll().execute();

beforeAll(async () => {
  account = { tokens: [], user: { id: '' }, profiles: [] };
  old = await startOldBackend({ accounts: [account] });
  system = await startSystem({ clock, env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' } });
  breaker = await openStoreBreaker(system.bridge.database);
  modern = await profilesOf(await issueToken(system));
  accountId = modern[0]?.user_id ?? '';
});

afterAll(async () => {
  await breaker.close();
  await system.stop();
  await old.close();
});

beforeEach(async () => {
  await old.setBehaviour('normal');
  old.requests.length = 0;
  account.user = { id: legacyOf(accountId) };
  account.profiles = oldProfiles();
  await durable().deleteFrom('id_pairs').execute();
});

test('a token of the bridge is told modern ids, and the old backend is not asked', async () => {
  expect(modern.length).toBeGreaterThan(2);
  const token = await issueToken(system, { app: await newApp() });
  expect(await profilesOf(token)).toEqual(modern);
  expect(old.requests).toEqual([]);
});

test('a token that moves over keeps the ids that its app has stored', async () => {
  const { token, app } = await movedToken();
  const userId = legacyOf(accountId);
  const told = modern.map((profile) => {
    const id = legacyOf(profile.id);
    return { ...profile, id, _id: id, user_id: userId, team_members: [userId] };
  });
  expect(await profilesOf(token)).toEqual(told);
  expect((await read(system, '/1/user.json', token)).json).toMatchObject({ id: userId, _id: userId });
  expect(old.requests.map(({ target }) => target).toSorted()).toEqual(['/1/profiles.json', '/1/user.json']);
  const events = await durable()
    .selectFrom('events')
    .select(['account_id', 'reason'])
    .where('action', '=', 'ids_learned')
    .where('client_id', '=', app.clientId)
    .execute();
  expect(events).toEqual([{ account_id: accountId, reason: `${modern.length} profiles` }]);
});

test('many first calls at once ask the old backend once and are told the same', async () => {
  const { token } = await movedToken();
  const answers = await Promise.all(Array.from({ length: 8 }, () => idsOf(token)));
  for (const ids of answers) expect(ids).toEqual(legacyIds());
  expect(old.seen('GET', '/1/user.json').length).toBeLessThanOrEqual(testMode.workers);
});

test('a token whose question is not answered holds up no other token of its app and account', async () => {
  const { token: stuck, app } = await movedToken();
  const { token } = await movedToken(app);
  await old.setBehaviour('slow');
  const waiting = read(system, '/1/profiles.json', stuck);
  await until(() => old.requests.length === 2);
  await old.setBehaviour('normal');
  expect(await idsOf(token)).toEqual(legacyIds());
  await old.setBehaviour('down');
  expect((await waiting).status).toBe(503);
});

test('what waits under the legacy id of an account is served with it once the pair is learned', async () => {
  const { token, app } = await movedToken();
  const imported = await importToken(app, { account_id: legacyOf(accountId) });
  const seen = await importToken(app, { account_id: null, legacy_account_id: legacyOf(accountId) });
  for (const one of [token, imported, seen]) expect(await idsOf(one)).toEqual(legacyIds());
  expect(old.requests).toHaveLength(2);
});

test('what an app was told before a pair came it is told on; one that asks later is told by the pair', async () => {
  const [early, late] = [await newApp(), await newApp()];
  const first = await issueToken(system, { app: early });
  expect(await idsOf(first)).toEqual(modernIds());
  const { token } = await movedToken(early);
  expect(await idsOf(token)).toEqual(modernIds());
  expect(old.requests).toEqual([]);
  const { token: other } = await movedToken();
  expect(await idsOf(other)).toEqual(legacyIds());
  expect([await idsOf(first), await idsOf(token)]).toEqual([modernIds(), modernIds()]);
  expect(await idsOf(await issueToken(system, { app: late }))).toEqual(legacyIds());
});

test('a token that was only seen in use keeps its account id for its own app, and vouches for no other', async () => {
  const app = await newApp();
  const token = await importToken(app, { source: 'observed' });
  await authorizeIn(system, { app });
  expect(await idsOf(token)).toEqual(legacyIds());
  expect(new Set((await pairs()).map(({ kind }) => kind))).toEqual(new Set(['profile']));
});

test('an imported pair is told without asking, and what another process told before counts more than it', async () => {
  const [one = '', two = ''] = modernIds();
  const app = await newApp();
  const [stored, paired] = ['a'.repeat(24), 'b'.repeat(24)];
  const row = { kind: 'profile', source: 'imported', created_at: clock.now() } as const;
  await durable()
    .insertInto('id_pairs')
    .values([
      { ...row, legacy_id: legacyOf(one), modern_id: one },
      { ...row, legacy_id: paired, modern_id: two },
    ])
    .execute();
  const told = { client_id: app.clientId, kind: 'profile', told_id: stored, told_at: clock.now() } as const;
  await durable()
    .insertInto('told_ids')
    .values({ ...told, modern_id: one })
    .execute();
  const token = await issueToken(system, { app });
  expect((await idsOf(token)).slice(0, 2)).toEqual([stored, paired]);
});

test('an account that was known by its e-mail alone keeps its legacy id', async () => {
  const { token } = await movedToken();
  const known = { kind: 'account', email: 'dana@example.org', source: 'imported' } as const;
  await durable()
    .insertInto('id_pairs')
    .values({ ...known, legacy_id: legacyOf(accountId), created_at: clock.now() })
    .execute();
  expect((await read(system, '/1/user.json', token)).json).toMatchObject({ id: legacyOf(accountId) });
});

describe('an old backend that does not answer at the first call', () => {
  test('soon after the token was mapped: 503 until it answers, and then the ids of the older generation', async () => {
    const { token } = await movedToken();
    await old.setBehaviour('down');
    const refused = await read(system, '/1/profiles.json', token);
    expect([refused.status, refused.json]).toMatchObject([503, { code: 1000, error: expect.any(String) }]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    clock.advance(9 * 60_000);
    await old.setBehaviour({ status: 502, body: 'bad gateway' });
    expect((await read(system, '/1/user.json', token)).status).toBe(503);
    await old.setBehaviour('normal');
    expect(await idsOf(token)).toEqual(legacyIds());
  });

  test('ten minutes later: modern ids, for good', async () => {
    const { token } = await movedToken();
    await old.setBehaviour('down');
    clock.advance(10 * 60_000);
    expect(await idsOf(token)).toEqual(modernIds());
    await old.setBehaviour('normal');
    expect(await idsOf(token)).toEqual(modernIds());
    expect(await pairs()).toEqual([]);
  });
});

test('a token that the old backend refuses teaches nothing and is served', async () => {
  const { token } = await movedToken();
  account.tokens.length = 0;
  expect(await idsOf(token)).toEqual(modernIds());
});

describe('an old backend whose answer makes no sense', () => {
  test('an error under 200: nothing is learned, the call is served', async () => {
    const { token } = await movedToken();
    await old.setBehaviour({ status: 200, body: '{"error":"An unknown error occurred.","code":1000}' });
    expect(await idsOf(token)).toEqual(modernIds());
    expect(await pairs()).toEqual([]);
  });

  test('profiles that cannot be told apart, or whose ids cannot be right, are not paired; the others are', async () => {
    const { token } = await movedToken();
    const [a, b, c, d, e, ...rest] = oldProfiles();
    if (!a || !b || !c || !d || !e) throw new Error('the demo has too few channels');
    account.profiles = [
      a,
      { ...a, id: 'f'.repeat(24) },
      { ...b, id: 12 as unknown as string },
      { ...c, id: `../${c.id}` },
      { ...d, service_id: 12 },
      { ...e, id: modernIds()[0] ?? '' },
      ...rest,
      ...([null, 7, 'text', [], {}] as unknown as Profile[]),
    ];
    account.user = { id: { $oid: 'x' } as unknown as string };
    const [kept, learned] = [modernIds().slice(0, 5), legacyIds().slice(5)];
    expect(await idsOf(token)).toEqual([...kept, ...learned]);
    expect((await read(system, '/1/user.json', token)).json).toMatchObject({ id: accountId });
  });
});

test('a profile is found by the id that was told, by the modern one and by the legacy one', async () => {
  const one = async (token: string, id: string) => read(system, `/1/profiles/${id}.json`, token);
  const [id = ''] = modernIds();
  const early = await newApp();
  const before = await issueToken(system, { app: early });
  await profilesOf(before);
  const { token } = await movedToken();
  expect(await idsOf(token)).toEqual(legacyIds());
  for (const given of [id, legacyOf(id)]) {
    expect((await one(token, given)).json).toMatchObject({ id: legacyOf(id), _id: legacyOf(id) });
    expect((await one(before, given)).json).toMatchObject({ id, _id: id });
  }
  const unknown = await one(token, 'c'.repeat(24));
  expect([unknown.status, unknown.json]).toMatchObject([404, { code: 1010 }]);
});

test('a database that does not write fails no call, and keeps what was told when it writes again', async () => {
  const app = await newApp();
  const token = await issueToken(system, { app });
  const told = () =>
    durable().selectFrom('told_ids').selectAll().where('client_id', '=', app.clientId).execute();
  await breaker.whileFailing('insert on told_ids', async () => {
    expect(await idsOf(token)).toEqual(modernIds());
    expect(await told()).toEqual([]);
  });
  await until(async () => (await told()).length === modern.length + 1);
});

testInOneProcess('once an app was told, a call asks no table of ids and writes nothing', async () => {
  const { token } = await movedToken();
  const told = await idsOf(token);
  await breaker.whileMissing('told_ids', async () => {
    expect(await idsOf(token)).toEqual(told);
  });
});
