import { EventEmitter, once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { issueToken, read } from '../../support/callers/legacy-calls.ts';
import type { RawAnswer } from '../../support/callers/raw-request.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { until } from '../../support/servers/held-answer.ts';
import { openLine, type SeverableLine } from '../../support/servers/severable-line.ts';

/** The new API is a black hole: connections come about, and nothing comes back. */

const GRANTS = 12;
/** What is promised (docs/guarantees.md). */
const OPENS_AFTER_AT_MOST = 5000;
/** A busy machine may take longer, but less than the ten seconds that callers would wait. */
const OPENS_WITHIN = 8000;
/** So many times this process may have been held up between the first read and the moment when the test sees the breaker open. */
const TURNS = 10;
const RECOVERS_WITHIN = 30_000;
/** Below the ten seconds that a caller waits for the new API, and far above what an answer takes. */
const AT_ONCE = 5000;

let system: System;
let line: SeverableLine;
let logged = '';
const tokens: string[] = [];

beforeAll(async () => {
  const port = await freePort();
  const stream = new PassThrough().on('data', (bytes: Buffer) => (logged += bytes.toString()));
  system = await startSystem({
    issuer: `http://127.0.0.1:${port}`,
    env: {
      PROFILES_FRESH_SECONDS: '0',
      LEGACY_RATE_LIMIT: '0',
    },
    log: { level: 'info', stream },
  });
  line = await openLine(port, Number(new URL(system.proxy.origin).port));
  while (tokens.length < GRANTS) {
    const app = await system.registerApp(`https://app-${tokens.length}.example/callback`);
    tokens.push(await issueToken(system, { app }));
  }
});

afterAll(async () => {
  await line.close();
  await system.stop();
});

const reads = () => system.bridge.context.sides.reads;
const profiles = (token: string | undefined) => read(system, '/1/profiles.json', token ?? '');
const isStale = ({ headers }: RawAnswer) => headers['age'] !== undefined;

async function timed(token: string | undefined): Promise<{ answer: RawAnswer; ms: number }> {
  const begun = performance.now();
  const answer = await profiles(token);
  return { answer, ms: performance.now() - begun };
}

const quantile = (values: readonly number[], share: number) =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN);

const print = (text: string) => process.stderr.write(`${text}\n`);

/** The parts of an answer that its time does not change. */
function shapeOf({ status, headers, text }: RawAnswer) {
  const names = Object.keys(headers).filter((name) => name !== 'age');
  return { status, names: names.toSorted(), text };
}

/** All but the last have a last known answer. */
const known = () => tokens.slice(0, -1);
const unknown = () => tokens.at(-1);

/** How long it takes, and how long this process was held up at most, in milliseconds. */
async function untilOpen(): Promise<{ ms: number; heldUp: number }> {
  const [begun, delays] = [performance.now(), monitorEventLoopDelay()];
  delays.enable();
  await until(() => reads().isOpen(), OPENS_WITHIN);
  delays.disable();
  return { ms: performance.now() - begun, heldUp: delays.max / 1e6 };
}

test('it opens within five seconds, and callers that wait get their last known answer then', async () => {
  const fresh = await Promise.all(known().map(profiles));
  line.swallow();
  const waiting = known().map(timed);
  const { ms, heldUp } = await untilOpen();
  print(`black hole: open after ${Math.round(ms)} ms, held up for ${Math.round(heldUp)} ms at most`);
  expect(ms).toBeLessThan(OPENS_AFTER_AT_MOST + TURNS * heldUp);
  const answers = await Promise.all(waiting);
  expect(answers.every(({ answer }) => isStale(answer))).toBe(true);
  expect(answers.map(({ answer }) => shapeOf(answer))).toEqual(fresh.map(shapeOf));
  expect(logged).toContain('the new API does not answer, the bridge answers reads from what it knows');
});

test('while it is open callers wait for nothing, with a last known answer and without one', async () => {
  const found: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const answers = await Promise.all(known().map(timed));
    expect(answers.every(({ answer }) => answer.status === 200 && isStale(answer))).toBe(true);
    found.push(...answers.map(({ ms }) => ms));
    await delay(100);
  }
  print(`black hole, open: p50 ${quantile(found, 0.5)} ms, p99 ${quantile(found, 0.99)} ms`);
  expect(quantile(found, 0.5)).toBeLessThan(AT_ONCE);
  const refused = await timed(unknown());
  expect(refused.answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(refused.ms).toBeLessThan(AT_ONCE);
  expect((await read(system, '/ready', '')).status).toBe(200);
});

test('when the other side is back every caller is answered anew within half a minute', async () => {
  await line.mend();
  const begun = performance.now();
  const times = tokens.map(async (token) => {
    await until(async () => {
      const answer = await profiles(token);
      await delay(100);
      return answer.status === 200 && !isStale(answer);
    }, RECOVERS_WITHIN);
    return performance.now() - begun;
  });
  const took = await Promise.all(times);
  print(`black hole, reads are back after ${quantile(took, 0.5)} ms, the last after ${quantile(took, 1)} ms`);
  expect(reads().isOpen()).toBe(false);
  expect(logged).toContain('the new API answers reads again');
});

test('no read that finds out whether the other side is back refreshes a grant', async () => {
  const { durable } = system.bridge.context.store;
  const refreshes = () => system.proxy.refreshes().length;
  const gate = new EventEmitter();
  const held = once(gate, 'open').then(() => undefined);
  system.proxy.onOtherCall = ({ path }) => (path === '/' ? held : Promise.resolve());
  const waiting = known().map(timed);
  await untilOpen();
  await Promise.all(waiting);
  await durable.updateTable('grants').set({ access_expires_at: 0, refresh_at: 0 }).execute();
  const before = refreshes();
  const asked = () => system.proxy.readings().filter(({ body }) => body.includes('__typename')).length;
  await until(async () => {
    await Promise.all(known().map(timed));
    return asked() >= 2 || refreshes() > before;
  }, 40_000);
  expect(refreshes()).toBe(before);
  system.proxy.onOtherCall = undefined;
  gate.emit('open');
  await until(async () => !isStale(await profiles(tokens[0])), RECOVERS_WITHIN);
  expect(refreshes()).toBeGreaterThan(before);
});

test('where every access token has ended before, the black hole is seen all the same', async () => {
  const { durable } = system.bridge.context.store;
  await until(() => !reads().isOpen(), RECOVERS_WITHIN);
  await durable.updateTable('grants').set({ access_expires_at: 0, refresh_at: 0 }).execute();
  line.swallow();
  const waiting = known().map(timed);
  await untilOpen();
  const answers = await Promise.all(waiting);
  print(
    `black hole, no live token: the last caller waited ${quantile(
      answers.map(({ ms }) => ms),
      1,
    )} ms`,
  );
  expect(answers.every(({ answer }) => isStale(answer))).toBe(true);
  system.proxy.assertNoRefreshTokenTwice();
});
