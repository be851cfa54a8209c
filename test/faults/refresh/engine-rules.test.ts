import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { findGrant } from '../../../src/store/grants/grants.ts';
import type { Grant } from '../../../src/store/tables/tables.ts';
import type { Answer } from '../../support/servers/forward.ts';
import { holdAnswer, until } from '../../support/servers/held-answer.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';

/**
 * Rules of the refresh engine that no single answer shows (docs/decisions/0003), each seen by what the proxy received.
 */

/** Jumps once, as soon as `when` holds: a process that stood still at that very point. */
class JumpingClock extends SettableClock {
  jump: { when(): boolean; by: number } | undefined;

  override now(): number {
    if (this.jump?.when()) {
      const { by } = this.jump;
      this.jump = undefined;
      this.advance(by);
    }
    return super.now();
  }
}

const VAR_DIR = mkdtempSync(join(tmpdir(), 'engine-'));
const clock = new JumpingClock();
let system: System;
let other: Sqlite.Database;

beforeAll(async () => {
  system = await startSystem({
    clock,
    env: { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0', VAR_DIR },
  });
  other = new Sqlite(join(VAR_DIR, 'bridge.db'));
});

afterAll(async () => {
  other.close();
  await system.stop();
  rmSync(VAR_DIR, { recursive: true, force: true });
});

// No test leaves a grant behind that would be a sibling in the next one.
beforeEach(async () => {
  const { proxy, bridge } = system;
  Object.assign(proxy, { onTokenCall: undefined, onTokenAnswer: undefined });
  Object.assign(proxy, { onOtherCall: undefined, onOtherAnswer: undefined });
  clock.set(Date.now());
  await bridge.context.store.durable.updateTable('grants').set({ state: 'dead' }).execute();
});

const profiles = (token: string) => read(system, '/1/profiles.json', token);

async function liveGrant(): Promise<Grant> {
  const { durable } = system.bridge.context.store;
  return durable.selectFrom('grants').selectAll().where('state', '<>', 'dead').executeTakeFirstOrThrow();
}

/** A token whose access token has ended and whose last answer is known, its grant, and a count of refreshes from here. */
async function expiredToken() {
  const token = await issueToken(system);
  await profiles(token);
  clock.advance(3_700_000);
  const before = system.proxy.refreshes().length;
  const grant = await liveGrant();
  return {
    token,
    grant,
    sent: () => system.proxy.refreshes().length - before,
    row: async () => (await findGrant(system.bridge.context.store.durable, grant.id)) ?? grant,
  };
}

const isPresenting = () =>
  other.prepare("select count(*) from grants where state = 'presenting'").pluck().get() === 1;

test('a claim that is two seconds old is not written any more, and the grant stays as it was', async () => {
  const { token, sent, row } = await expiredToken();
  clock.jump = { when: isPresenting, by: 2100 };
  expect((await profiles(token)).headers['age']).toBeDefined();
  expect(clock.jump).toBeUndefined();
  expect(sent()).toBe(0);
  expect(await row()).toMatchObject({ state: 'ready', version: 1, doubt_since: null });
});

test('a claim that is younger than two seconds is written', async () => {
  const { token, sent } = await expiredToken();
  clock.jump = { when: isPresenting, by: 1900 };
  expect((await profiles(token)).headers['age']).toBeUndefined();
  expect(sent()).toBe(1);
});

const refused: Answer = {
  status: 401,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"errors":[]}'),
};

const refuseReadings = () => {
  system.proxy.onOtherAnswer = (call, answer) => (call.path === '/' ? refused : answer);
};

test('an access token that the main API refuses once is renewed once, and the caller is served', async () => {
  const { token, sent, row } = await expiredToken();
  await profiles(token);
  let refusals = 1;
  system.proxy.onOtherAnswer = (_call, answer) => (refusals-- > 0 ? refused : answer);
  const answer = await profiles(token);
  expect([answer.status, answer.headers['age']]).toEqual([200, undefined]);
  expect(sent()).toBe(2);
  expect(await row()).toMatchObject({ version: 3, suspect_count: 0 });
});

/** That many readings take longer than the access token lives that they came with. */
function outliveTokens(count: number): void {
  let left = count;
  system.proxy.onOtherAnswer = (call, answer) => {
    if (call.path !== '/' || left === 0) return answer;
    left -= 1;
    clock.advance(3_700_000);
    return refused;
  };
}

test('access tokens that end while a call is under way are renewed, and nothing is held against the grant', async () => {
  const { token, sent, row } = await expiredToken();
  outliveTokens(3);
  const answer = await profiles(token);
  expect([answer.status, answer.headers['age']]).toEqual([200, undefined]);
  expect(sent()).toBe(4);
  expect(await row()).toMatchObject({ state: 'ready', version: 5, suspect_count: 0 });
});

test('a grant none of whose access tokens outlives a call rests like one whose fresh token is refused', async () => {
  const { token, sent, row } = await expiredToken();
  outliveTokens(100);
  expect((await profiles(token)).headers['age']).toEqual(expect.any(String));
  expect(sent()).toBe(4);
  expect((await row()).suspect_count).toBe(1);
});

test('a grant whose fresh access token is refused too rests, longer each time up to 15 minutes, until it is taken again', async () => {
  const { token, sent, row } = await expiredToken();
  refuseReadings();
  clock.advance(-3_700_000);
  for (let call = 0; call < 3; call += 1) {
    const answer = await profiles(token);
    expect([answer.status, answer.headers['age']]).toEqual([200, expect.any(String)]);
  }
  expect(sent()).toBe(1);
  expect((await row()).suspect_count).toBe(1);
  for (let minute = 1; minute <= 60; minute += 1) {
    clock.advance(60_000);
    await profiles(token);
  }
  expect(sent()).toBeGreaterThanOrEqual(6);
  expect(sent()).toBeLessThanOrEqual(14);
  system.proxy.onOtherAnswer = undefined;
  clock.advance(15 * 60_000);
  expect((await profiles(token)).headers['age']).toBeUndefined();
  expect(await row()).toMatchObject({ state: 'ready', suspect_count: 0, suspect_until: 0 });
});

test('a rest that a wrong clock dated far into the future is not kept', async () => {
  const token = await issueToken(system);
  await profiles(token);
  const { durable } = system.bridge.context.store;
  const nextWeek = clock.now() + 7 * 86_400_000;
  await durable.updateTable('grants').set({ suspect_count: 1, suspect_until: nextWeek }).execute();
  const answer = await profiles(token);
  expect(answer.status).toBe(200);
  expect(answer.headers['age']).toBeUndefined();
});

test('a token without a last known answer gets 503 with Retry-After while its fresh access token is refused', async () => {
  const token = await issueToken(system);
  refuseReadings();
  const answer = await profiles(token);
  expect(answer.status).toBe(503);
  expect(answer.json).toMatchObject({ code: 1000 });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(15);
});

test('a caller that goes away during a refresh does not cancel it', async () => {
  const { token, sent, row } = await expiredToken();
  const held = holdAnswer(system.proxy, 'onTokenAnswer');
  const call = get(`${system.bridgeUrl}/1/profiles.json?access_token=${token}`).on('error', () => undefined);
  await until(() => held.answer !== undefined);
  call.destroy();
  await delay(100);
  held.release();
  await until(async () => (await row()).state === 'ready');
  expect(await row()).toMatchObject({ state: 'ready', version: 2 });
  expect(sent()).toBe(1);
});

/** As if a process had claimed the grant and died. */
async function leftPresenting({ grant }: { grant: Grant }, presentedAt: number): Promise<void> {
  const { durable } = system.bridge.context.store;
  const claimed = { state: 'presenting', presented_at: presentedAt } as const;
  await durable.updateTable('grants').set(claimed).where('id', '=', grant.id).execute();
}

test('a claim that nobody ended is in doubt after twenty seconds and not before', async () => {
  const expired = await expiredToken();
  await leftPresenting(expired, clock.now() - 19_900);
  const call = profiles(expired.token);
  await delay(500);
  expect((await expired.row()).state).toBe('presenting');
  clock.advance(200);
  expect((await call).status).toBe(200);
  expect((await expired.row()).state).toBe('in_doubt');
  expect(expired.sent()).toBe(0);
});

test('a claim that a wrong clock dated into the future counts from now, and leaves doubt after the quiet time', async () => {
  const { token, grant, sent, row } = await expiredToken();
  await leftPresenting({ grant }, clock.now() + 86_400_000);
  const call = profiles(token);
  await delay(500);
  expect((await row()).state).toBe('presenting');
  clock.advance(20_100);
  await call;
  await profiles(token);
  expect(await row()).toMatchObject({ state: 'in_doubt', presented_at: clock.now() });
  clock.advance(299_000);
  await profiles(token);
  expect(sent()).toBe(0);
  clock.advance(2_000);
  expect((await profiles(token)).headers['age']).toBeUndefined();
  expect(sent()).toBe(1);
  expect(await row()).toMatchObject({ state: 'ready', version: 2 });
});
