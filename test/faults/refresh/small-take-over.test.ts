import { resolveDoubts } from '../../../src/domain/grants/resolve-doubts.ts';
import { takeOver } from '../../../src/domain/instance/take-over.ts';
import type { Answer } from '../../support/servers/forward.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { giveToAccount } from '../../support/callers/other-account.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';

/** The take-over of a copy of few accounts: while every grant seems to be spent, half of the accounts stop the looking. */

const ACCOUNTS = 6;
const HALF = ACCOUNTS / 2;

const clock = new SettableClock();
let system: System;
/** Two of each account, one account after the other. */
const tokens: string[] = [];

const durable = () => system.bridge.context.store.durable;
const profiles = (token = '') => read(system, '/1/profiles.json', token);

const spent: Answer = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"active":false}'),
};

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ clock, env, clientSecret: 'a-secret-of-the-bridge-for-this-test' });
  for (let number = 0; number < 2 * ACCOUNTS; number += 1) {
    const app = await system.registerApp(`https://app-${number}.example/callback`);
    tokens.push(await issueToken(system, { app }));
    await giveToAccount(system, app, `account-${Math.floor(number / 2)}`);
  }
  const { context } = system.bridge;
  await durable().updateTable('instance').set({ state: 'copy' }).execute();
  await context.instance.look();
  expect(await takeOver(context)).toBe(tokens.length);
  // Old access tokens serve on, so that the bridge's own job looks into nothing before the test does.
});

afterAll(() => system.stop());

const states = async () =>
  (await durable().selectFrom('grants').select('state').execute()).map(({ state }) => state);

test('fewer accounts than half stop nobody; half of them stop the looking for five minutes, then it goes on', async () => {
  system.proxy.onOtherAnswer = ({ path }, answer) => (path === '/token/introspection' ? spent : answer);
  clock.advance(3_900_000);
  await Promise.all([resolveDoubts(system.bridge.context), ...tokens.map(profiles)]);
  const accounts = new Set(
    (await durable().selectFrom('grants').select('account_id').where('state', '=', 'dead').execute()).map(
      (row) => row.account_id,
    ),
  );
  expect(accounts.size).toBe(HALF);
  const ended = (await states()).filter((state) => state === 'dead').length;
  expect(ended).toBeGreaterThanOrEqual(HALF);
  expect(ended).toBeLessThanOrEqual(2 * HALF);
  await resolveDoubts(system.bridge.context);
  system.proxy.onOtherAnswer = undefined;
  clock.advance(299_000);
  expect((await Promise.all(tokens.map(profiles))).map(({ status }) => status)).not.toContain(200);
  clock.advance(2_000);
  const statuses = (await Promise.all(tokens.map(profiles))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(tokens.length - ended);
  system.proxy.assertNoRefreshTokenTwice();
});
