import type { ExpressionBuilder } from 'kysely';
import type { Tables } from '../../src/store/tables/tables.ts';
import type { RegisteredApp } from '../support/bridge/register-app.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { until } from '../support/servers/held-answer.ts';
import { exchange, freshCode, issueToken, read, tokenOf } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { settlePendingRevocations } from '../../src/domain/grants/pending-revocations.ts';
import { openRefreshToken } from '../../src/domain/grants/sealed-pair.ts';
import { findLiveGrant } from '../../src/store/grants/grants.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** The life of legacy tokens: several of one app and account, a newer consent, deauthorize, the owner's own token. */

let system: System;

beforeAll(async () => {
  system = await startSystem({ env: { LEGACY_RATE_LIMIT: '0' } });
});

afterAll(() => system.stop());

const statusOf = async (token: string) => (await read(system, '/1/profiles.json', token)).status;

const newApp = (host: string, owner?: string): Promise<RegisteredApp> =>
  registerLegacyApp(system.bridge, `https://${host}.example/callback`, owner);

async function accountOf(token: string): Promise<string> {
  const { json } = await read(system, '/1/user.json', token);
  return (json as { id: string }).id;
}

test('a new authorization does not end the older token (Q17); both stand on the newer grant', async () => {
  const older = await issueToken(system);
  const newer = await issueToken(system);
  expect(newer).not.toBe(older);
  expect([await statusOf(older), await statusOf(newer)]).toEqual([200, 200]);
  const { durable } = system.bridge.context.store;
  const grants = await durable
    .selectFrom('mappings')
    .select('grant_id')
    .distinct()
    .where('state', '=', 'active')
    .execute();
  expect(grants).toHaveLength(1);
  const replaced = await durable
    .selectFrom('grants')
    .selectAll()
    .where('dead_cause', '=', 'replaced')
    .execute();
  expect(replaced.length).toBeGreaterThan(0);
  expect(replaced.filter((grant) => grant.refresh_token_sealed !== null)).toEqual([]);
});

const ADDRESSES: Array<[string, string]> = [
  ['POST', '/1/user/deauthorize.json'],
  ['GET', '/1/user/deauthorize.json'],
  ['POST', '/user/deauthorize'],
  ['GET', '/user/deauthorize'],
];

test.each(ADDRESSES)(
  '%s %s ends every token of the app for the account, and a second call is 401',
  async (method, path) => {
    const tokens = [await issueToken(system), await issueToken(system)];
    const bystander = await newApp('bystander');
    const other = await issueToken(system, { app: bystander });
    const call = () => sendRaw(system.bridgeUrl, { method, path: `${path}?access_token=${tokens[0]}` });
    const answer = await call();
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('{"success":true,"message":"Access successfully revoked!"}');
    expect(await Promise.all(tokens.map(statusOf))).toEqual([401, 401]);
    expect((await call()).status).toBe(401);
    expect(await statusOf(other)).toBe(200);
  },
);

test('deauthorize revokes upstream when nothing else stands there, and every change is in the history', async () => {
  const { durable } = system.bridge.context.store;
  const app = await newApp('alone');
  await durable.updateTable('grants').set({ state: 'dead' }).where('client_id', '<>', app.clientId).execute();
  const token = await issueToken(system, { app });
  const grant = await findLiveGrant(durable, app.clientId, await accountOf(token));
  if (!grant) throw new Error('the app has no live grant');
  const refreshToken = openRefreshToken(system.bridge.context, grant);
  expect(system.proxy.revoked()).not.toContain(refreshToken);
  await sendRaw(system.bridgeUrl, {
    method: 'POST',
    path: '/1/user/deauthorize.json',
    headers: { authorization: `Bearer ${token}` },
  });
  await settlePendingRevocations(system.bridge.context);
  expect(system.proxy.revoked()).toContain(refreshToken);
  expect(await durable.selectFrom('owed_revocations').selectAll().execute()).toEqual([]);
  const events = await durable
    .selectFrom('events')
    .select('action')
    .where('client_id', '=', app.clientId)
    .orderBy('id')
    .execute();
  expect(events.map(({ action }) => action)).toEqual([
    'app_registered',
    'token_issued',
    'granted',
    'token_issued',
    'deauthorized',
    'token_revoked',
  ]);
});

test('a code that was not exchanged before the deauthorization gives nothing afterwards', async () => {
  const token = await issueToken(system);
  const code = await freshCode(system);
  await sendRaw(system.bridgeUrl, {
    method: 'POST',
    path: '/user/deauthorize',
    headers: { authorization: `Bearer ${token}` },
  });
  expect((await exchange(system, code)).json).toMatchObject({ error: 'invalid_grant' });
});

test("the owner's own token waits for one authorization by the owner, with a way to get there", async () => {
  const app = await newApp('owned', await accountOf(await issueToken(system)));
  const waiting = await read(system, '/1/profiles.json', app.ownerToken);
  expect(waiting.status).toBe(401);
  expect(waiting.json).toMatchObject({
    error: 'The provided access token is invalid',
    code: 401,
    reauthorize: { link: `${system.bridgeUrl}/apps/${app.clientId}` },
  });
  tokenOf(await exchange(system, await freshCode(system, { app }), app));
  expect(await statusOf(app.ownerToken)).toBe(200);
});

test('a token that was imported as a digest has its hint from its first use on, and a short one never', async () => {
  const { context } = system.bridge;
  const rowOf = (token: string) => (eb: ExpressionBuilder<Tables, 'mappings'>) =>
    eb('token_digest', '=', context.vault.digest(token));
  const hintOf = async (token: string) =>
    context.store.durable
      .selectFrom('mappings')
      .select(['hint_first', 'hint_last'])
      .where(rowOf(token))
      .executeTakeFirst();
  const setHint = async (token: string, text: string | null) =>
    context.store.durable
      .updateTable('mappings')
      .set({ hint_first: text, hint_last: text })
      .where(rowOf(token))
      .execute();
  const [token, short] = [await issueToken(system), '1/short-tok-12345'];
  await addWaitingToken(system.bridge, { clientId: system.app.clientId, token: short });
  for (const one of [token, short]) await setHint(one, null);
  expect(await statusOf(short)).toBe(401);
  expect(await statusOf(token)).toBe(200);
  await until(async () => (await hintOf(token))?.hint_first !== null);
  expect(await hintOf(token)).toEqual({ hint_first: token.slice(2, 6), hint_last: token.slice(-4) });
  expect(await hintOf(short)).toEqual({ hint_first: null, hint_last: null });
});

test('a token that the bridge does not know gets the recorded answer and no more', async () => {
  const answer = await read(system, '/1/profiles.json', `1/${'0'.repeat(32)}`);
  expect(answer.status).toBe(401);
  expect(answer.text).toBe('{"error":"The provided access token is invalid","code":401}');
  expect(answer.headers['www-authenticate']).toBeUndefined();
});
