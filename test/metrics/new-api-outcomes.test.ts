import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { logLines } from '../support/bridge/log-lines.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { testInProcess } from '../support/jest/test-mode.ts';
import { takeSlot } from '../../src/upstream/token-endpoint-limit.ts';
import { until } from '../support/servers/held-answer.ts';
import { scrape, sumOf } from './support/scrape.ts';

/** What the metrics say of calls to the new API that got no ordinary answer, or were not made. */

const HOUR = 3_700_000;
const clock = new SettableClock();
const log = logLines();
let system: System;
let token: string;

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '86400', LEGACY_RATE_LIMIT: '0' };
  system = await startSystem({ clock, env, log: { level: 'info', stream: log.stream } });
  token = await issueToken(system);
  await profiles();
});

afterAll(() => system.stop());

const profiles = () => read(system, '/1/profiles.json', token);

const OUTCOMES = ['answered', 'refused', 'limited', 'failed'] as const;

/** How often each outcome of a call to the new API was counted. */
async function countsOf(call: string): Promise<number[]> {
  const samples = await scrape(system.bridgeUrl);
  return OUTCOMES.map((outcome) => sumOf(samples, 'grantbridge_new_api_seconds_count', { call, outcome }));
}

/** What a call of an app adds to them. */
async function addedTo(call: string): Promise<number[]> {
  const before = await countsOf(call);
  expect((await profiles()).status).toBe(200);
  const after = await countsOf(call);
  return after.map((count, at) => count - (before[at] ?? 0));
}

/** The main API answers with this status until the returned function is called. */
function answerWith(status: number, headers: Record<string, string> = {}): () => void {
  system.proxy.insteadOfOther = ({ method }) =>
    method === 'POST' ? { status, headers, body: Buffer.from('{}') } : undefined;
  return () => (system.proxy.insteadOfOther = undefined);
}

testInProcess(
  'a read that is asked to wait is limited; a read that is not sent meanwhile is no call',
  async () => {
    const mend = answerWith(429, { 'retry-after': '60' });
    expect(await addedTo('read')).toEqual([0, 0, 1, 0]);
    mend();
    expect(await addedTo('read')).toEqual([0, 0, 0, 0]);
    clock.advance(61_000);
    expect(await addedTo('read')).toEqual([1, 0, 0, 0]);
  },
);

test('a read with an answer that the bridge does not expect is refused below 500, and failed above', async () => {
  const mend = answerWith(404);
  expect(await addedTo('read')).toEqual([0, 1, 0, 0]);
  answerWith(502);
  expect(await addedTo('read')).toEqual([0, 0, 0, 1]);
  mend();
});

testInProcess(
  'while the new API asks to wait, each app has some lines of answers that were not new',
  async () => {
    const message = 'served the last known answer';
    const lines = () =>
      log
        .lines()
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((line) => line['message'] === message);
    const mend = answerWith(429, { 'retry-after': '60' });
    for (let n = 0; n < 40; n += 1) await profiles();
    mend();
    await system.bridge.untilLogged();
    expect(lines()).toHaveLength(20);
    expect(lines().at(-1)).toMatchObject({ level: 'warn', clientId: system.app.clientId });
    clock.advance(61_000);
  },
);

test('a refresh that is asked to wait is limited', async () => {
  clock.advance(HOUR);
  const body = Buffer.from('{}');
  system.proxy.onTokenAnswer = () => ({ status: 429, headers: { 'retry-after': '1' }, body });
  expect(await addedTo('refresh')).toEqual([0, 0, 1, 0]);
  system.proxy.onTokenAnswer = undefined;
});

const SLOTS = 16;
const HELD = 1000;

testInProcess('an exchange takes as long as the new API needs, without the wait for a slot', async () => {
  const sum = async () =>
    sumOf(await scrape(system.bridgeUrl), 'grantbridge_new_api_seconds_sum', { call: 'exchange' });
  const waits = async (awaited: string) =>
    sumOf(await scrape(system.bridgeUrl), 'grantbridge_new_api_wait_seconds_count', { awaited });
  const before = await sum();
  const waited = [await waits('place'), await waits('connection')];
  const app = await system.registerApp('https://waits.example/callback');
  const giveBack = await Promise.all(Array.from({ length: SLOTS }, () => takeSlot()));
  const issuing = issueToken(system, { app });
  let isIssued = false;
  void issuing.finally(() => (isIssued = true));
  setTimeout(() => giveBack.forEach((one) => one()), HELD);
  await until(() => isIssued);
  await issuing;
  expect((await countsOf('exchange'))[0]).toBe(2);
  expect((await sum()) - before).toBeLessThan(HELD / 2000);
  expect([await waits('place'), await waits('connection')]).toEqual(waited.map((count) => count + 1));
});
