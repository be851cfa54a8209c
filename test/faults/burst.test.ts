import { setTimeout as delay } from 'node:timers/promises';
import { findTurn } from '../../src/domain/grants/refresh/stop/doubt-breaker.ts';
import { refreshIdleGrants } from '../../src/domain/grants/refresh/refresh-idle-grants.ts';
import { until } from '../support/servers/held-answer.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/**
 * Grants that come up at the same moment after a time without any refresh: nobody knows how answers come. Five are tried
 * at first; when their answers are good the others follow, when they are lost no other token is spent.
 */

const GRANTS = 14;
const FEW = 5;
const HOUR = 3_700_000;

const clock = new SettableClock();
let system: System;
const tokens: string[] = [];

beforeAll(async () => {
  const env = {
    PROFILES_FRESH_SECONDS: '0',
    PROFILES_STALE_SECONDS: '0',
    LEGACY_RATE_LIMIT: '0',
    IN_DOUBT_QUIET_SECONDS: '86400',
  };
  system = await startSystem({ clock, env });
  for (let number = 0; number < GRANTS; number += 1) {
    const app = await system.registerApp(`https://app-${number}.example/callback`);
    tokens.push(await issueToken(system, { app }));
  }
});

afterAll(() => system.stop());

const sent = () => system.proxy.refreshes().length;

async function callAll(wanted: readonly string[]) {
  const before = sent();
  const answers = await Promise.all(wanted.map((token) => read(system, '/1/profiles.json', token)));
  return { sent: sent() - before, statuses: [...new Set(answers.map(({ status }) => status))] };
}

test('five are presented until one is answered, then all, and every caller is served', async () => {
  clock.advance(HOUR);
  let isHeld = true;
  system.proxy.onTokenAnswer = async (_call, answer) => {
    await until(() => !isHeld);
    return answer;
  };
  const calls = callAll(tokens);
  await until(() => sent() === FEW);
  // Time for one too many.
  await delay(300);
  expect(sent()).toBe(FEW);
  expect(await findTurn(system.bridge.context)).toEqual({ kind: 'wait' });
  clock.advance(1);
  isHeld = false;
  expect(await calls).toEqual({ sent: GRANTS, statuses: [200] });
  expect((await findTurn(system.bridge.context)).kind).toBe('free');
  system.proxy.assertNoRefreshTokenTwice();
});

test('what is refreshed ahead of its end goes on when no answer came for long', async () => {
  clock.advance(3000);
  expect((await findTurn(system.bridge.context)).kind).toBe('few');
  const { durable } = system.bridge.context.store;
  const early = { refresh_at: clock.now(), rotated_at: clock.now() - HOUR };
  await durable.updateTable('grants').set(early).execute();
  const before = sent();
  expect((await callAll(tokens.slice(0, 1))).statuses).toEqual([200]);
  await until(() => sent() === before + 1);
  await durable.updateTable('grants').set({ rotated_at: 1 }).execute();
  await refreshIdleGrants(system.bridge.context);
  expect(sent()).toBeGreaterThan(before + 1);
});

test('when answers are lost five are spent, and the others wait without a 401', async () => {
  clock.advance(HOUR);
  system.proxy.onTokenAnswer = () => ({ status: 502, headers: {}, body: Buffer.from('bad gateway') });
  expect(await callAll(tokens)).toEqual({ sent: FEW, statuses: [503] });
  system.proxy.assertNoRefreshTokenTwice();
});
