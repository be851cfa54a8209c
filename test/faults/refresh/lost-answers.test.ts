import { EventEmitter, once } from 'node:events';
import { accessTokenFor } from '../../../src/domain/grants/refresh/access-token.ts';
import { findTurn } from '../../../src/domain/grants/refresh/stop/doubt-breaker.ts';
import { refreshIdleGrants } from '../../../src/domain/grants/refresh/refresh-idle-grants.ts';
import { readBreaker } from '../../../src/store/grants/refresh-breaker.ts';
import type { Answer } from '../../support/servers/forward.ts';
import { until } from '../../support/servers/held-answer.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';

/**
 * A gateway that loses every answer: the modern side spends each refresh token that is presented, and 502 comes back.
 * Five lost answers in a row stop all presentations but one a minute, until one answer is good again.
 */

const HOUR = 3_700_000;
const MINUTE = 60_000;

const clock = new SettableClock();
let system: System;
/** Each of an app of its own; the access tokens of all have ended. */
let tokens: string[];
/** One that still lives. */
let living: { token: string; grantId: string };

const badGateway: Answer = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<h1>Bad Gateway</h1>'),
};

beforeAll(async () => {
  // No doubt is settled within this test: what is presented is presented for the first time.
  const env = { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0', IN_DOUBT_QUIET_SECONDS: '86400' };
  system = await startSystem({ clock, env });
  tokens = [];
  for (let number = 0; number < 32; number += 1) {
    const app = await system.registerApp(`https://app-${number}.example/callback`);
    tokens.push(await issueToken(system, { app }));
  }
  clock.advance(HOUR);
  living = await connectLiving();
});

async function connectLiving() {
  const app = await system.registerApp('https://living.example/callback');
  const token = await issueToken(system, { app });
  const { durable } = system.bridge.context.store;
  const { id } = await durable
    .selectFrom('grants')
    .select('id')
    .where('client_id', '=', app.clientId)
    .executeTakeFirstOrThrow();
  return { token, grantId: id };
}

/**
 * Makes the one that lives due to be renewed for its age and for having been idle, or no longer due: the job of each
 * minute also runs by itself, and would take the one presentation of a minute for it.
 */
async function makeDue(isDue: boolean): Promise<void> {
  const now = clock.now();
  const due = isDue ? { refresh_at: now, rotated_at: 1 } : { refresh_at: now + HOUR, rotated_at: now };
  await context().store.durable.updateTable('grants').set(due).where('id', '=', living.grantId).execute();
}

afterAll(() => system.stop());

const profiles = (token: string) => read(system, '/1/profiles.json', token);
const sent = () => system.proxy.refreshes().length;
const loseAnswers = (are: boolean) => (system.proxy.onTokenAnswer = are ? () => badGateway : undefined);
const breaker = () => readBreaker(system.bridge.context.store.durable, clock.now());

const context = () => system.bridge.context;

async function readyGrants(): Promise<string[]> {
  const { durable } = context().store;
  const rows = await durable.selectFrom('grants').select('id').where('state', '=', 'ready').execute();
  return rows.map(({ id }) => id);
}

async function expire(ids: readonly string[]): Promise<void> {
  const ended = { access_expires_at: clock.now() };
  await context().store.durable.updateTable('grants').set(ended).where('id', 'in', ids).execute();
}

/** Keeps every answer until all are let go. */
function swallowAnswers(): () => void {
  const letGo = new EventEmitter();
  const gone = once(letGo, 'now');
  system.proxy.onTokenAnswer = async (_call, answer) => {
    await gone;
    return answer;
  };
  return () => void letGo.emit('now');
}

/** Calls with the next tokens, which have not been called with before; how they were answered. */
async function callNext(count: number) {
  const before = sent();
  const answers = await Promise.all(tokens.splice(0, count).map(profiles));
  return { sent: sent() - before, statuses: [...new Set(answers.map(({ status }) => status))], answers };
}

test('of ten grants that come up at once five are presented, and the others wait without a 401', async () => {
  expect((await callNext(1)).statuses).toEqual([200]);
  clock.advance(1000);
  loseAnswers(true);
  const begun = await callNext(1);
  expect(begun).toMatchObject({ sent: 1, statuses: [503] });
  const { sent: presented, statuses, answers } = await callNext(10);
  expect({ presented, statuses }).toEqual({ presented: 4, statuses: [503] });
  const waits = answers.map(({ headers }) => Number(headers['retry-after']));
  expect(waits.every((seconds) => seconds >= 1 && seconds <= 86_400)).toBe(true);
  expect(await breaker()).toMatchObject({ doubts: 5, trippedAt: clock.now() });
});

test('meanwhile a token that still lives serves on, and is not renewed ahead of its end', async () => {
  await makeDue(true);
  const before = sent();
  expect((await profiles(living.token)).status).toBe(200);
  await refreshIdleGrants(system.bridge.context);
  // What the call began in the background is over when another flight of the grant may run.
  const rests = () => system.bridge.context.flights.run(living.grantId, async () => 'rests');
  await until(async () => (await rests()) === 'rests');
  expect(sent()).toBe(before);
  await makeDue(false);
});

/** Presentations of one call after that time. */
async function sentAfter(ms: number): Promise<number> {
  clock.advance(ms);
  return (await callNext(1)).sent;
}

test('then one presentation a minute is made, and the pause doubles to five minutes', async () => {
  const made = [];
  for (const minutes of [1, 2, 4, 5]) {
    made.push(await sentAfter(minutes * MINUTE - 1000));
    made.push(await sentAfter(1000));
  }
  expect(made).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
});

test('one good answer lets all refresh again', async () => {
  loseAnswers(false);
  clock.advance(5 * MINUTE);
  expect(await callNext(1)).toMatchObject({ sent: 1, statuses: [200] });
  expect(await breaker()).toMatchObject({ trippedAt: null, doubts: 0 });
  clock.advance(1000);
  expect(await callNext(tokens.length)).toMatchObject({ statuses: [200] });
});

test('and what still lives is renewed ahead of its end again', async () => {
  const { durable } = context().store;
  const row = durable.selectFrom('grants').select('version').where('id', '=', living.grantId);
  const version = async () => (await row.executeTakeFirstOrThrow()).version;
  const before = await version();
  await makeDue(true);
  await refreshIdleGrants(context());
  expect(await version()).toBe(before + 1);
});

test('a hole that swallows answers is noticed before they are given up, and stops the sixth presentation', async () => {
  const all = await readyGrants();
  await expire(all);
  clock.advance(1000);
  const before = sent();
  const letGo = swallowAnswers();
  const refresh = (count: number) => all.splice(0, count).map((id) => accessTokenFor(context(), { id }));
  const calls = refresh(2);
  await until(() => sent() === before + 2);
  clock.advance(3000);
  calls.push(...refresh(5));
  await until(() => sent() === before + 5);
  expect(await findTurn(context())).toEqual({ kind: 'wait' });
  expect(sent()).toBe(before + 5);
  letGo();
  await Promise.all(calls);
  expect(sent()).toBe(before + 7);
  system.proxy.assertNoRefreshTokenTwice();
});
