import { until, holdAnswer } from '../support/servers/held-answer.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** The budget at the new API is spent for weeks, and then the plan of the client grows. */

const HOUR = 3_600_000;
const APPS = 4;

const clock = new SettableClock();
let system: System;
let tokens: string[];

const monthly = (quota: number, left: number) => ({
  ratelimit: `"${quota}-in-30day";r=${left};t=2000000`,
  'ratelimit-policy': `"${quota}-in-30day";q=${quota};w=2592000`,
});

function answerWith(headers: Record<string, string>): void {
  system.proxy.onOtherAnswer = (_call, answer) => ({ ...answer, headers: { ...answer.headers, ...headers } });
}

/** Each app reads its account. */
const readAll = () => Promise.all(tokens.map((token) => read(system, '/1/user.json', token)));

/** Without the question whether the new API answers at all, which costs nothing of the budget. */
const asked = () =>
  system.proxy.readings().filter(({ headers }) => headers['authorization'] !== undefined).length;

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0', LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ clock, env });
  tokens = [];
  for (let n = 0; n < APPS; n += 1) {
    const app = await system.registerApp(`https://app-${n}.example/callback`);
    tokens.push(await issueToken(system, { app }));
  }
  answerWith(monthly(250, 0));
  await read(system, '/1/user.json', tokens[0] ?? '');
  await system.bridge.untilShared();
});

afterAll(() => system.stop());

test('nothing is asked for an hour, and callers are told to come again within it', async () => {
  const before = asked();
  const answers = await readAll();
  expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
    Array.from({ length: APPS }, () => [503, '3600']),
  );
  clock.advance(HOUR - 1000);
  await readAll();
  expect(asked()).toBe(before);
});

test('after the hour one call asks, and the others wait for another hour while nothing is left', async () => {
  clock.advance(1000);
  const before = asked();
  await readAll();
  expect(asked()).toBe(before + 1);
  await readAll();
  expect(asked()).toBe(before + 1);
});

test('a larger plan is noticed by the next call that asks, and then all are served', async () => {
  clock.advance(HOUR);
  system.proxy.onOtherAnswer = undefined;
  const before = asked();
  const held = holdAnswer(system.proxy, 'onOtherAnswer');
  const refused: number[] = [];
  const answers = tokens.map(async (token) => {
    const { status } = await read(system, '/1/user.json', token);
    if (status !== 200) refused.push(status);
    return status;
  });
  await until(() => held.answer !== undefined && refused.length === APPS - 1);
  expect(asked()).toBe(before + 1);
  Object.assign(held.answer?.headers ?? {}, monthly(7500, 7000));
  answerWith(monthly(7500, 6999));
  held.release();
  expect((await Promise.all(answers)).filter((status) => status === 200)).toHaveLength(1);
  expect((await readAll()).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});
