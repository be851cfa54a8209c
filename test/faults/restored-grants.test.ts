import { PassThrough } from 'node:stream';
import { transports } from 'winston';
import { resolveDoubts } from '../../src/domain/grants/resolve-doubts.ts';
import { takeOver } from '../../src/domain/instance/take-over.ts';
import type { LegacyApp } from '../support/callers/authorize.ts';
import type { Answer } from '../support/servers/forward.ts';
import { holdJobs } from '../support/bridge/hold-jobs.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { giveToAccount } from '../support/callers/other-account.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** Grants after the take-over of a copy: looked into few at a time, and not at all while every one seems to be spent. */

/** Those of one account that are spent first; and the rest of the fleet, of which half are many. */
const SPENT = 12;
const LEFT = 30;
const HALF = LEFT / 2;
const GRANTS = SPENT + LEFT;

const clock = new SettableClock();
let system: System;
let tokens: string[];
let apps: LegacyApp[];
let logged = '';

const profiles = (token = '') => read(system, '/1/profiles.json', token);

const spent: Answer = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"active":false}'),
};

/** The modern side says of every refresh token that it is spent. */
function callAllSpent(): void {
  system.proxy.onOtherAnswer = ({ path }, answer) => (path === '/token/introspection' ? spent : answer);
}

const durable = () => system.bridge.context.store.durable;

const countStates = async () => {
  const rows = await durable().selectFrom('grants').select(['state', 'dead_cause']).execute();
  const count = (name: string) => rows.filter((row) => (row.dead_cause ?? row.state) === name).length;
  return { ready: count('ready'), in_doubt: count('in_doubt'), superseded: count('superseded') };
};

async function becomeCopyAndTakeOver(): Promise<number | undefined> {
  const { context } = system.bridge;
  await durable().updateTable('instance').set({ state: 'copy' }).execute();
  await context.instance.look();
  return takeOver(context);
}

let letJobsGo = () => {};

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ clock, env, clientSecret: 'a-secret-of-the-bridge-for-this-test' });
  const stream = new PassThrough().on('data', (chunk: Buffer) => (logged += chunk.toString()));
  system.bridge.context.logger.add(new transports.Stream({ stream }));
  [tokens, apps] = [[], []];
  for (let number = 0; number < GRANTS; number += 1) {
    const app = await system.registerApp(`https://app-${number}.example/callback`);
    tokens.push(await issueToken(system, { app }));
    apps.push(app);
  }
  // The test says when a run of the job takes place.
  letJobsGo = await holdJobs(system.bridge.context, ['settle-doubts']);
});

afterAll(() => {
  letJobsGo();
  return system.stop();
});

test('a take-over puts every live grant in doubt, with its entry, and ends the codes that were not spent', async () => {
  expect(await becomeCopyAndTakeOver()).toBe(GRANTS);
  expect(await countStates()).toEqual({ ready: 0, in_doubt: GRANTS, superseded: 0 });
  const events = await durable()
    .selectFrom('events')
    .select(['action', 'reason'])
    .where('reason', '=', 'a restored copy was taken over')
    .execute();
  expect(events.map(({ action }) => action).toSorted()).toEqual([
    ...Array.from({ length: GRANTS }, () => 'refresh_in_doubt'),
    'taken_over',
  ]);
  const unspent = await durable()
    .selectFrom('legacy_codes')
    .where('used_at', 'is', null)
    .selectAll()
    .execute();
  expect(unspent).toEqual([]);
  expect((await profiles(tokens[0])).status).toBe(200);
  expect(system.proxy.refreshes()).toHaveLength(0);
});

test('the quiet time is waited for, then a run looks into ten, and a caller into its own at once', async () => {
  clock.advance(3_700_000);
  await becomeCopyAndTakeOver();
  await resolveDoubts(system.bridge.context);
  expect((await profiles(tokens[0])).status).toBe(503);
  clock.advance(299_000);
  await resolveDoubts(system.bridge.context);
  expect(system.proxy.refreshes()).toHaveLength(0);
  clock.advance(2_000);
  await resolveDoubts(system.bridge.context);
  expect(await countStates()).toEqual({ ready: 10, in_doubt: GRANTS - 10, superseded: 0 });
  const statuses = [];
  for (const token of tokens) statuses.push((await profiles(token)).status);
  expect(statuses).toEqual(tokens.map(() => 200));
  expect(await countStates()).toEqual({ ready: GRANTS, in_doubt: 0, superseded: 0 });
  expect(system.proxy.refreshes()).toHaveLength(GRANTS);
});

/** A take-over after which the modern side calls what it is asked about spent. */
async function takeOverOfSpent(): Promise<void> {
  clock.advance(3_700_000);
  await becomeCopyAndTakeOver();
  clock.advance(301_000);
  callAllSpent();
}

test('many of one account that are called spent, while none recovers, stop nobody', async () => {
  await takeOverOfSpent();
  for (const token of tokens.splice(0, SPENT)) expect((await profiles(token)).status).toBe(401);
  expect(logged).not.toContain('ALARM: every restored grant seems to be spent');
  system.proxy.onOtherAnswer = undefined;
  expect((await profiles(tokens[0])).status).toBe(200);
});

test('those of half of the accounts stop the looking for five minutes; then it goes on', async () => {
  for (const [number, app] of apps.entries()) await giveToAccount(system, app, `account-${number}`);
  await takeOverOfSpent();
  const before = system.proxy.refreshes().length;
  for (const token of tokens.slice(0, HALF)) expect((await profiles(token)).status).toBe(401);
  expect(logged).toContain(
    'ALARM: every restored grant seems to be spent, the bridge stops asking about restored grants',
  );
  expect((await profiles(tokens[HALF])).status).toBe(503);
  await resolveDoubts(system.bridge.context);
  expect(await countStates()).toEqual({ ready: 0, in_doubt: LEFT - HALF, superseded: SPENT + HALF });
  system.proxy.onOtherAnswer = undefined;
  clock.advance(299_000);
  expect((await profiles(tokens[HALF])).status).toBe(503);
  clock.advance(2_000);
  expect((await profiles(tokens[HALF])).status).toBe(200);
  expect(system.proxy.refreshes().length - before).toBe(1);
});

test('one that recovers among them keeps the others from being stopped', async () => {
  clock.advance(61_000);
  callAllSpent();
  for (const token of tokens.slice(HALF + 1, HALF + 7)) expect((await profiles(token)).status).toBe(401);
  system.proxy.onOtherAnswer = undefined;
  expect((await profiles(tokens[HALF + 7])).status).toBe(200);
  callAllSpent();
  for (const token of tokens.slice(HALF + 8, LEFT - 1)) expect((await profiles(token)).status).toBe(401);
  system.proxy.onOtherAnswer = undefined;
  expect((await profiles(tokens[LEFT - 1])).status).toBe(200);
  system.proxy.assertNoRefreshTokenTwice();
});
