import { EventEmitter, once } from 'node:events';
import { createBudget } from '../../src/upstream/known-budget.ts';
import type { HttpAnswer } from '../../src/upstream/http-client.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';

/** What one process knows of the windows of a budget, from answers with their headers. */

const clock = { now: () => 1_000_000 };

const answerOf = (ratelimit: string, policy: string): HttpAnswer => ({
  status: 200,
  headers: { ratelimit, 'ratelimit-policy': policy },
  body: '',
});

const SMALL = answerOf(
  '"100-in-15min";r=90;t=600, "3000-in-30day";r=2;t=2000000',
  '"100-in-15min";q=100;w=900, "3000-in-30day";q=3000;w=2592000',
);
const LARGE = answerOf(
  '"100-in-15min";r=89;t=599, "7500-in-30day";r=4501;t=1999999',
  '"100-in-15min";q=100;w=900, "7500-in-30day";q=7500;w=2592000',
);

const leftIn = (budget: ReturnType<typeof createBudget>) =>
  Object.fromEntries(budget.windows().map(({ name, left }) => [name, left]));

test('after a change of plan the old limit of a window no longer counts', async () => {
  const budget = createBudget(clock);
  await budget.spend(async () => SMALL);
  expect(leftIn(budget)).toEqual({ '100 in 900': 90, '3000 in 2592000': 2 });
  await budget.spend(async () => LARGE);
  expect(leftIn(budget)).toEqual({ '100 in 900': 89, '7500 in 2592000': 4501 });
});

test('an answer of before the change that comes late does not bring the old limit back', async () => {
  const budget = createBudget(clock);
  const held = new EventEmitter();
  const late = budget.spend(async () => {
    await once(held, 'release');
    return SMALL;
  });
  await budget.spend(async () => LARGE);
  held.emit('release');
  await late;
  expect(leftIn(budget)['7500 in 2592000']).toBe(4501);
  expect(leftIn(budget)['3000 in 2592000']).toBeUndefined();
});

test('a window that has another limit is counted under its first name', async () => {
  const budget = createBudget(clock);
  await budget.spend(async () => SMALL);
  await budget.spend(async () => LARGE);
  expect(budget.windows().map(({ name, countedAs }) => [name, countedAs])).toEqual([
    ['100 in 900', '100 in 900'],
    ['7500 in 2592000', '3000 in 2592000'],
  ]);
});

const hourly = (left: number, reset = 600) => answerOf(`"w";r=${left};t=${reset}`, '"w";q=100;w=3600');

/** Sends two requests, and takes the answer to the second one first; the returned function lets the first one come. */
async function overtaken(budget: ReturnType<typeof createBudget>, late: HttpAnswer, early: HttpAnswer) {
  const held = new EventEmitter();
  const first = budget.spend(async () => {
    await once(held, 'release');
    return late;
  });
  await budget.spend(async () => early);
  return async () => {
    held.emit('release');
    await first;
  };
}

test.each([
  [90, 10, 10],
  [10, 90, 10],
  [10, 10, 10],
])('of a late rest of %d and an early one of %d, %d counts', async (late, early, left) => {
  const budget = createBudget(clock);
  await (await overtaken(budget, hourly(late), hourly(early)))();
  expect(leftIn(budget)).toEqual({ '100 in 3600': left });
});

test('a larger rest that comes after the end of the window counts', async () => {
  const settable = new SettableClock(1_000_000);
  const budget = createBudget(settable);
  const come = await overtaken(budget, hourly(90), hourly(10, 1));
  settable.advance(999);
  expect(leftIn(budget)).toEqual({ '100 in 3600': 9 });
  settable.advance(1);
  await come();
  expect(leftIn(budget)).toEqual({ '100 in 3600': 90 });
});

test('two windows of one length stand beside each other', async () => {
  const budget = createBudget(clock);
  await budget.spend(async () => answerOf('"a";r=5, "b";r=6', '"a";q=100;w=60, "b";q=200;w=60'));
  expect(Object.keys(leftIn(budget))).toEqual(['100 in 60', '200 in 60']);
});

test('a budget without lengths has one window, as long as it is told', async () => {
  const settable = new SettableClock(1_000_000);
  const budget = createBudget(settable);
  await budget.spend(async () => ({ status: 200, headers: { ratelimit: '"100-in-1h";r=7;t=20' }, body: '' }));
  const told = { name: '', countedAs: '', saidAt: 1_000_000 };
  expect(budget.windows()).toEqual([{ ...told, left: 7, until: 1_020_000 }]);
  settable.advance(20_000);
  expect(budget.windows()).toEqual([{ ...told, left: Number.POSITIVE_INFINITY, until: 1_040_000 }]);
});

test('the tightest window that has not opened again gives the share and its time', async () => {
  const settable = new SettableClock(1_000_000);
  const budget = createBudget(settable);
  expect([budget.remainingShare(), budget.reopensAt()]).toEqual([1, 1_000_000]);
  const policy = '"a";q=100;w=60, "b";q=100;w=3600, "c";q=100;w=86400';
  await budget.spend(async () => answerOf('"a";r=10;t=30, "b";r=40;t=90, "c";r=20;t=60', policy));
  const steps = [0, 30_000, 30_000, 30_000].map((step) => {
    settable.advance(step);
    return [budget.remainingShare(), budget.reopensAt()];
  });
  expect(steps).toEqual([
    [0.1, 1_030_000],
    [0.2, 1_060_000],
    [0.4, 1_090_000],
    [1, 1_090_000],
  ]);
  await budget.spend(async () => answerOf('"a";r=900;t=30', policy));
  expect(budget.remainingShare()).toBe(1);
});

const HOUR = 3_600_000;

test.each<[string, number, Record<string, string>, number]>([
  ['429 asks for a second', 429, {}, 1000],
  ['429 asks for what it says', 429, { 'retry-after': '30' }, 30_000],
  ['429 asks for an hour at most', 429, { 'retry-after': '7200' }, HOUR],
  ['another answer asks for nothing', 503, { 'retry-after': '30' }, 0],
  ['a spent window asks for its time', 200, { ratelimit: '"100-in-1h";r=0;t=20' }, 20_000],
  ['the longer time counts', 429, { ratelimit: '"100-in-1h";r=0;t=20', 'retry-after': '30' }, 30_000],
])('%s', async (_what, status, headers, pause) => {
  const budget = createBudget(clock);
  await budget.spend(async () => ({ status, headers, body: '' }));
  expect(Math.max(budget.pausedUntil() - clock.now(), 0)).toBe(pause);
});

test('a shorter pause does not end a longer one', async () => {
  const budget = createBudget(clock);
  await budget.spend(async () => ({ status: 429, headers: { 'retry-after': '30' }, body: '' }));
  await budget.spend(async () => ({ status: 429, headers: {}, body: '' }));
  expect(budget.pausedUntil() - clock.now()).toBe(30_000);
});

test('a request whose answer is lost is no longer under way', async () => {
  const budget = createBudget(clock);
  await budget.spend(async () => hourly(50));
  const lost = budget.spend(() => Promise.reject(new Error('lost')));
  expect(leftIn(budget)).toEqual({ '100 in 3600': 49 });
  await expect(lost).rejects.toThrow('lost');
  expect(leftIn(budget)).toEqual({ '100 in 3600': 50 });
});

test('of what other processes have heard the newest report counts, and the longest pause', () => {
  const budget = createBudget(clock);
  const now = clock.now();
  const heard = { share: 0.5, saidAt: now - 10, validUntil: now + 5000, pausedUntil: now + 100, windows: [] };
  budget.learn(heard);
  expect(budget.budget()).toEqual(heard);
  budget.learn({ ...heard, share: 0.4, pausedUntil: now + 300 });
  expect(budget.budget()).toEqual({ ...heard, pausedUntil: now + 300 });
  budget.learn({ ...heard, share: 0.3, saidAt: now - 9, pausedUntil: now + 200 });
  expect(budget.budget()).toEqual({ ...heard, share: 0.3, saidAt: now - 9, pausedUntil: now + 300 });
});

test('before the first report nothing is known', () => {
  const nothing = { share: 1, saidAt: 0, validUntil: 0, pausedUntil: 0, windows: [] };
  expect(createBudget(clock).budget()).toEqual(nothing);
});

test('an own report is told with its windows', async () => {
  const budget = createBudget(clock);
  await budget.spend(async () => hourly(50));
  expect(budget.budget()).toEqual({
    share: 0.5,
    saidAt: 1_000_000,
    validUntil: 1_600_000,
    pausedUntil: 0,
    windows: [{ limit: 100, left: 50, seconds: 3600, validMs: 600_000 }],
  });
});
