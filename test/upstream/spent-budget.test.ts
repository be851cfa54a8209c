import { EventEmitter, once } from 'node:events';
import type { HttpAnswer } from '../../src/upstream/http-client.ts';
import { createBudget, type KnownBudget } from '../../src/upstream/known-budget.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';

/** A window that is spent long before its end: for how long nothing is sent, and who asks again. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let clock: SettableClock;
let budget: ReturnType<typeof createBudget>;

beforeEach(() => {
  clock = new SettableClock(Date.UTC(2026, 10, 1));
  budget = createBudget(clock);
});

const monthly = (quota: number, left: number, reset: number): HttpAnswer => ({
  status: left > 0 ? 200 : 429,
  headers: {
    ratelimit: `"${quota}-in-30day";r=${left};t=${reset}`,
    'ratelimit-policy': `"${quota}-in-30day";q=${quota};w=2592000`,
  },
  body: '',
});

const SPENT = monthly(3000, 0, 2_000_000);
const LARGER_PLAN = monthly(7500, 4500, 1_996_000);

const heard = (answer: HttpAnswer) => budget.spend(async () => answer);

/** Milliseconds for which nothing is sent. */
const pause = () => Math.max(budget.pausedUntil() - clock.now(), 0);

/** A request whose answer is on its way; the returned function lets it come, or be lost. */
function beginRequest(): (answer?: HttpAnswer) => Promise<void> {
  const held = new EventEmitter();
  const request = budget.spend(async () => {
    const [answer] = (await once(held, 'end')) as [HttpAnswer | undefined];
    if (!answer) throw new Error('the answer was lost');
    return answer;
  });
  return async (answer) => {
    held.emit('end', answer);
    await request.catch(() => undefined);
  };
}

test('a spent window holds requests back for an hour, and what is left is told as it was', async () => {
  await heard(SPENT);
  expect(pause()).toBe(HOUR);
  clock.advance(HOUR - 1);
  expect(pause()).toBe(1);
  clock.advance(1);
  expect(pause()).toBe(0);
  expect([budget.remainingShare(), budget.reopensAt() - clock.now()]).toEqual([0, 2_000_000_000 - HOUR]);
});

test('after the hour one request asks, the others wait for its answer, and a larger plan lets all go on', async () => {
  await heard(SPENT);
  clock.advance(HOUR);
  const end = beginRequest();
  expect(pause()).toBe(60_000);
  clock.advance(1000);
  expect(pause()).toBe(59_000);
  await end(LARGER_PLAN);
  expect(pause()).toBe(0);
  beginRequest();
  expect(pause()).toBe(0);
  expect(budget.windows().map(({ name, left }) => [name, left])).toEqual([['7500 in 2592000', 4499]]);
});

test('the same answer as before holds requests back for another hour', async () => {
  await heard(SPENT);
  clock.advance(HOUR);
  await beginRequest()(monthly(3000, 0, 1_996_400));
  expect(pause()).toBe(HOUR);
});

test('where the answer is lost, or tells of no budget, the next request asks a minute later', async () => {
  await heard(SPENT);
  clock.advance(HOUR);
  await beginRequest()();
  expect(pause()).toBe(60_000);
  clock.advance(60_000);
  expect(pause()).toBe(0);
  await beginRequest()({ status: 502, headers: {}, body: '' });
  expect(pause()).toBe(60_000);
  clock.advance(60_000);
  expect(pause()).toBe(0);
});

test('a window that opens within the hour lets all go on at once', async () => {
  await heard(monthly(3000, 0, 600));
  expect(pause()).toBe(600_000);
  clock.advance(600_000);
  beginRequest();
  expect(pause()).toBe(0);
});

test.each([
  ['a moment', 1_793_500_000],
  ['milliseconds', 900_000],
])('a reset that is %s ends with the length of the window', async (_, reset) => {
  await heard({
    status: 200,
    headers: { ratelimit: `"day";r=0;t=${reset}`, 'ratelimit-policy': '"day";q=250;w=86400' },
    body: '',
  });
  expect([pause(), budget.reopensAt() - clock.now()]).toEqual([HOUR, DAY]);
});

test('a reset that is a moment, without a length in the policy, ends with the longest window', async () => {
  await heard({ status: 200, headers: { ratelimit: '"250-in-1day";r=0;t=1793500000' }, body: '' });
  expect([pause(), budget.reopensAt() - clock.now()]).toEqual([HOUR, 30 * DAY]);
});

/** As an earlier version stored it. */
const stored = (saidAt: number): KnownBudget => ({
  share: 0,
  saidAt,
  validUntil: saidAt + 20 * DAY,
  pausedUntil: saidAt + 20 * DAY,
  windows: [],
});

test('a long pause that an earlier version stored ends an hour after its answer, and then one request asks', async () => {
  const row = stored(clock.now() - 10 * 60_000);
  budget.learn(row);
  expect(pause()).toBe(50 * 60_000);
  clock.advance(50 * 60_000);
  budget.learn(row);
  expect(pause()).toBe(0);
  const end = beginRequest();
  budget.learn(row);
  expect(pause()).toBe(60_000);
  await end(LARGER_PLAN);
  budget.learn(row);
  expect([pause(), budget.remainingShare()]).toEqual([0, 0.6]);
});

/** What another process has heard just now. */
const heardThere = (share: number): KnownBudget => ({
  share,
  saidAt: clock.now(),
  validUntil: clock.now() + DAY,
  pausedUntil: 0,
  windows: [],
});

test('a request that was begun before another process heard that nothing is left holds nobody back', () => {
  beginRequest();
  clock.advance(1000);
  budget.learn(heardThere(0));
  expect([budget.remainingShare(), pause()]).toEqual([0, 0]);
});

test('a larger plan of which another process hears lets all go on while one still asks', async () => {
  await heard(SPENT);
  clock.advance(HOUR);
  beginRequest();
  expect(pause()).toBe(60_000);
  budget.learn(heardThere(0.6));
  expect([budget.remainingShare(), pause()]).toEqual([0.6, 0]);
});

test('a pause of an hour that another process asked for is kept, also by a clock that is a second behind', () => {
  budget.learn({ ...stored(0), validUntil: 0, pausedUntil: clock.now() + HOUR + 1000 });
  expect(pause()).toBe(HOUR + 1000);
});

test('the turn of a request that asks about shares ends with an answer or after a minute', async () => {
  expect([budget.takeTurn(), budget.takeTurn()]).toEqual([true, false]);
  clock.advance(60_000);
  expect([budget.takeTurn(), budget.takeTurn()]).toEqual([true, false]);
  await heard(LARGER_PLAN);
  expect(budget.takeTurn()).toBe(true);
});

const names = () => budget.windows().map(({ name }) => name);

test('a window that no answer names any more is forgotten after an hour', async () => {
  const hourly = { ratelimit: '"hour";r=50;t=10', 'ratelimit-policy': '"hour";q=100;w=3600' };
  await heard(monthly(3000, 2, 2_000_000));
  clock.advance(HOUR - 1);
  await heard({ status: 200, headers: hourly, body: '' });
  expect(names()).toEqual(['3000 in 2592000', '100 in 3600']);
  clock.advance(1);
  await heard({ status: 200, headers: hourly, body: '' });
  expect(names()).toEqual(['100 in 3600']);
});
