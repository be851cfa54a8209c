import { newHexId } from '../../../src/shared/ids.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { until } from '../../support/servers/held-answer.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { type RawAnswer, type RawRequest, sendRaw } from '../../support/callers/raw-request.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { actionsOf, addWaitingToken, mappingOf } from '../../support/bridge/waiting-token.ts';

/** The life of tokens that the old backend knows, before and after a grant serves them (docs/decisions/0014). */

const PROFILE = { id: '4eb854340acb04e870000010', service: 'twitter' };
const REVOKED = { success: true, message: 'Access successfully revoked!' };

const accounts: OldAccount[] = [];
/** Stays signed in at the modern side. */
const browser = new CookieWalker();
let old: OldBackend;
let system: System;

beforeAll(async () => {
  old = await startOldBackend({ accounts });
  system = await startSystem({ env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '5' } });
});

beforeEach(async () => {
  old.requests.length = 0;
  await old.setBehaviour('normal');
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

function call(token: string, path: string, wanted: Partial<RawRequest> = {}): Promise<RawAnswer> {
  return sendRaw(system.bridgeUrl, { ...wanted, path, headers: { authorization: `Bearer ${token}` } });
}

/** Imported, for an app of its own, and known to the old backend. */
async function waitingToken(accountId?: string) {
  const { clientId } = await system.registerApp('https://another.example/callback');
  const added = await addWaitingToken(system.bridge, { clientId, ...(accountId && { accountId }) });
  accounts.push({ tokens: [added.token], user: { id: newHexId() }, profiles: [PROFILE] });
  return { ...added, clientId };
}

/** Issued by the bridge, or taken over by it before its account let the app in. */
async function servedToken(source: 'issued' | 'imported') {
  const app = await system.registerApp('https://served.example/callback');
  const token = await issueToken(system, { app, browser });
  const { durable } = system.bridge.context.store;
  const mapping = await mappingOf(system.bridge, token);
  await durable.updateTable('mappings').set({ source }).where('id', '=', mapping!.id).execute();
  if (source === 'imported')
    accounts.push({ tokens: [token], user: { id: newHexId() }, profiles: [PROFILE] });
  return { token, mappingId: mapping!.id };
}

const stateOf = async (token: string) => (await mappingOf(system.bridge, token))?.state;

test('calls with a waiting token count against the limit and are measured', async () => {
  const { token, mappingId } = await waitingToken();
  const path = `/1/profiles/${PROFILE.id}/updates/pending.json?access_token=${token}`;
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => sendRaw(system.bridgeUrl, { path, headers: { 'user-agent': 'old' } })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  await system.bridge.untilShared();
  const sixth = await call(token, '/1/user.json');
  expect([sixth.status, sixth.json]).toEqual([429, { error: expect.any(String), code: 429 }]);
  expect(old.requests).toHaveLength(5);
  const { context } = system.bridge;
  const rows = async () => {
    await context.usage.flush();
    const query = context.store.volatile.selectFrom('usage').selectAll();
    return query.where('mapping_id', '=', mappingId).orderBy('calls', 'desc').execute();
  };
  await until(async () => (await rows()).length === 2, 15_000);
  expect(await rows()).toMatchObject([
    {
      endpoint: '/1/profiles/:id/updates/pending.json',
      carrier: 'query',
      user_agent: 'old',
      outcome: 'ok',
      calls: 5,
    },
    { endpoint: '/1/user.json', carrier: 'header', outcome: 'limited', calls: 1 },
  ]);
});

test('a refusal of a waiting token goes back as it was and changes nothing', async () => {
  const { token } = await waitingToken();
  const body = '{"error":"x","code":401,"deprecation":{}}';
  await old.setBehaviour({ status: 401, headers: ['Content-Type', 'application/json'], body });
  expect(await call(token, '/1/user.json')).toMatchObject({ status: 401, text: body });
  await old.setBehaviour('normal');
  expect((await call(token, '/1/user.json')).status).toBe(200);
});

test.each([
  ['POST', '/1/user/deauthorize.json'],
  ['GET', '/user/deauthorize'],
])('%s %s ends a waiting token when the old backend took it, not before', async (method, path) => {
  const { token, mappingId } = await waitingToken();
  await old.setBehaviour('down');
  expect((await call(token, path, { method })).status).toBe(503);
  expect(await stateOf(token)).toBe('unmapped');
  await old.setBehaviour('normal');
  expect((await call(token, path, { method })).json).toEqual(REVOKED);
  expect(old.seen(method, path)).toHaveLength(1);
  expect(await stateOf(token)).toBe('revoked');
  expect(await actionsOf(system.bridge, mappingId)).toEqual(['token_revoked']);
  expect((await call(token, '/1/user.json')).json).toMatchObject({
    code: 401,
    reauthorize: { reason: 'This token was revoked.' },
  });
  expect(old.requests).toHaveLength(1);
});

test('where the account is known, its other tokens of the app end with it', async () => {
  const accountId = newHexId();
  const { token, clientId } = await waitingToken(accountId);
  const other = await addWaitingToken(system.bridge, { clientId, accountId });
  const stranger = await addWaitingToken(system.bridge, { clientId });
  await call(token, '/1/user/deauthorize.json', { method: 'POST' });
  expect([await stateOf(token), await stateOf(other.token), await stateOf(stranger.token)]).toEqual([
    'revoked',
    'revoked',
    'unmapped',
  ]);
});

test('an end of a served token is told to the old backend, if that may know it', async () => {
  const [imported, issued] = [await servedToken('imported'), await servedToken('issued')];
  expect((await call(imported.token, '/1/user/deauthorize.json')).json).toEqual(REVOKED);
  expect((await call(issued.token, '/1/user/deauthorize.json')).json).toEqual(REVOKED);
  await until(() => old.requests.length > 0);
  expect(old.requests).toMatchObject([
    {
      method: 'POST',
      target: '/1/user/deauthorize.json',
      headers: { authorization: `Bearer ${imported.token}` },
    },
  ]);
  expect(await actionsOf(system.bridge, imported.mappingId)).not.toContain('old_backend_not_told');
});

test('of an unidentified program a served token ends alone, and the grant with the last one', async () => {
  const app = await system.registerApp('https://unidentified.example/callback');
  const tokens = [await issueToken(system, { app, browser }), await issueToken(system, { app, browser })];
  const { durable } = system.bridge.context.store;
  await durable
    .updateTable('apps')
    .set({ source: 'observed' })
    .where('client_id', '=', app.clientId)
    .execute();
  await durable
    .updateTable('mappings')
    .set({ source: 'observed' })
    .where('client_id', '=', app.clientId)
    .execute();
  const states = async () => [await stateOf(tokens[0]!), await stateOf(tokens[1]!)];
  const grants = durable.selectFrom('grants').select('id').where('client_id', '=', app.clientId);
  const live = () => grants.where('state', '<>', 'dead').execute();
  expect((await call(tokens[0]!, '/1/user/deauthorize.json')).json).toEqual(REVOKED);
  expect(await states()).toEqual(['revoked', 'active']);
  expect(await live()).toHaveLength(1);
  expect((await call(tokens[1]!, '/1/user.json')).status).toBe(200);
  await until(() => old.seen('POST', '/1/user/deauthorize.json').length === 1);
  expect((await call(tokens[1]!, '/user/deauthorize')).json).toEqual(REVOKED);
  expect(await states()).toEqual(['revoked', 'revoked']);
  expect(await live()).toEqual([]);
});

test('an old backend that cannot be told undoes nothing, and that is recorded', async () => {
  const { token, mappingId } = await servedToken('imported');
  await old.setBehaviour({ status: 500 });
  expect((await call(token, '/1/user/deauthorize.json')).json).toEqual(REVOKED);
  expect(await stateOf(token)).toBe('revoked');
  await until(async () => (await actionsOf(system.bridge, mappingId)).includes('old_backend_not_told'));
});

test('a served token reaches the old backend where nothing else answers, and is never refused by it', async () => {
  const [imported, issued] = [await servedToken('imported'), await servedToken('issued')];
  const path = `/1/profiles/${PROFILE.id}/updates/pending.json`;
  expect((await call(imported.token, path)).json).toEqual({ total: 0, updates: [] });
  accounts.pop();
  const noProfile = { status: 404, json: { error: 'Profile could not be found.', code: 1010 } };
  expect(await call(imported.token, path)).toMatchObject(noProfile);
  expect(await call(issued.token, path)).toMatchObject(noProfile);
  expect((await call(imported.token, '/1/profiles.xml')).status).toBe(406);
  expect((await call(imported.token, '/1/profiles.json', { method: 'PUT' })).status).toBe(405);
  expect(old.requests.filter(({ target }) => target === path)).toHaveLength(2);
});

test('without an old backend a waiting token is refused with the way back', async () => {
  const alone = await startSystem();
  try {
    const { token } = await addWaitingToken(alone.bridge, { clientId: alone.app.clientId });
    const answer = await sendRaw(alone.bridgeUrl, { path: `/1/user.json?access_token=${token}` });
    expect(answer).toMatchObject({
      status: 401,
      json: { code: 401, reauthorize: { link: expect.any(String) } },
    });
  } finally {
    await alone.stop();
  }
});
