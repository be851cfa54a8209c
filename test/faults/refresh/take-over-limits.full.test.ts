import { setTimeout as delay } from 'node:timers/promises';
import { resolveDoubts } from '../../../src/domain/grants/resolve-doubts.ts';
import { takeOver } from '../../../src/domain/instance/take-over.ts';
import type { Grant } from '../../../src/store/tables/tables.ts';
import type { LegacyApp } from '../../support/callers/authorize.ts';
import type { Answer } from '../../support/servers/forward.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { giveToAccount } from '../../support/callers/other-account.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';

/** What a take-over meets: pairs that are newer than the copy, and many callers while introspection is wrong. */

const clock = new SettableClock();
let system: System;
let tokens: string[];
let apps: LegacyApp[];

const profiles = (token = '') => read(system, '/1/profiles.json', token);
const durable = () => system.bridge.context.store.durable;
const grants = () => durable().selectFrom('grants').selectAll().orderBy('created_at').execute();

beforeEach(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ clock, env, clientSecret: 'a-secret-of-the-bridge-for-this-test' });
  [tokens, apps] = [[], []];
  for (let number = 0; number < 24; number += 1) {
    const app = await system.registerApp(`https://app-${number}.example/callback`);
    tokens.push(await issueToken(system, { app }));
    apps.push(app);
  }
});

afterEach(() => system.stop());

async function becomeCopyAndTakeOver(): Promise<void> {
  const { context } = system.bridge;
  await durable().updateTable('instance').set({ state: 'copy' }).execute();
  await context.instance.look();
  expect(await takeOver(context)).toBe(tokens.length);
}

/** As a database of before the last refresh would hold it. */
async function putBack({ id, ...row }: Grant): Promise<void> {
  await durable().updateTable('grants').set(row).where('id', '=', id).execute();
}

const sealedPair = (grant: Grant) => ({
  accessTokenSealed: grant.access_token_sealed ?? '',
  refreshTokenSealed: grant.refresh_token_sealed ?? '',
  scope: grant.scope,
  accessExpiresAt: grant.access_expires_at,
  refreshAt: grant.refresh_at,
});

test('pairs that lie in the spill and are newer than the copy are taken, however far it is behind', async () => {
  const { context } = system.bridge;
  const before = new Map((await grants()).map((grant) => [grant.id, grant]));
  for (let round = 0; round < 2; round += 1) {
    clock.advance(3_700_000);
    for (const token of tokens.slice(0, 2)) expect((await profiles(token)).status).toBe(200);
  }
  const ahead = (await grants()).filter(({ version }) => version === 3);
  expect(ahead).toHaveLength(2);
  for (const grant of ahead) {
    await context.spill.write({ grantId: grant.id, version: 2, pair: sealedPair(grant) });
    await putBack(before.get(grant.id) ?? grant);
  }
  await becomeCopyAndTakeOver();
  clock.advance(3_700_000);
  for (let run = 0; run < 4; run += 1) await resolveDoubts(context);
  for (const token of tokens) expect((await profiles(token)).status).toBe(200);
  expect((await grants()).map(({ state }) => state)).toEqual(tokens.map(() => 'ready'));
  expect((await context.spill.list()).entries).toEqual([]);
  system.proxy.assertNoRefreshTokenTwice();
});

const spent: Answer = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"active":false}'),
};

test('the grants of half of the accounts are ended at most, however many callers come while introspection calls all spent', async () => {
  for (const [number, app] of apps.entries()) await giveToAccount(system, app, `account-${number}`);
  await becomeCopyAndTakeOver();
  clock.advance(3_700_000);
  system.proxy.onOtherAnswer = async ({ path }, answer) => {
    if (path !== '/token/introspection') return answer;
    // Long enough for all of them to be asked about before the first answer comes.
    await delay(1000);
    return spent;
  };
  const statuses = (await Promise.all(tokens.map(profiles))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(12);
  expect(statuses.filter((status) => status === 503)).toHaveLength(12);
  expect((await grants()).filter(({ dead_cause: cause }) => cause === 'superseded')).toHaveLength(12);
});
