import { BudgetSpent } from '../../../src/domain/limits/budget-spent.ts';
import type { LimitsDeps } from '../../../src/domain/limits/deps.ts';
import {
  requireBudget,
  requireWrites,
  takeNeededRead,
  takeRead,
  takeWrite,
  whyUnsent,
} from '../../../src/domain/limits/fair-shares.ts';
import { LimitReached } from '../../../src/domain/limits/limit-reached.ts';
import { createBudget } from '../../../src/upstream/known-budget.ts';
import { NotSent, Unavailable } from '../../../src/upstream/outcomes.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';

/** Which requests a client's budget allows to whom, number by number, from what the new API reports. */

const BRIDGE = 'the bridge';
const one = { modernClientId: BRIDGE, clientId: 'one' };
const other = { modernClientId: BRIDGE, clientId: 'other' };
const own = { modernClientId: 'a client of its own', clientId: 'three' };

let clock: SettableClock;
let budget: ReturnType<typeof createBudget>;
let context: LimitsDeps;
let lines: object[];

beforeEach(() => {
  clock = new SettableClock(Date.UTC(2026, 10, 1));
  budget = createBudget(clock);
  lines = [];
  const logger = { warn: (message: string, fields: object) => lines.push({ message, ...fields }) };
  const sides = { mainApiFor: () => budget };
  const parts: unknown = { clock, logger, server: { clientId: BRIDGE }, sides };
  context = parts as LimitsDeps;
});

/** The new API answers with these headers. */
async function tell(ratelimit: string, policy: string): Promise<void> {
  const headers = { ratelimit, 'ratelimit-policy': policy };
  await budget.spend(async () => ({ status: 200, headers, body: '{}' }));
}

/** It answers with so many requests left of a hundred, for so many seconds, and of another window. */
const report = (left: number, seconds = 600, more = ''): Promise<void> =>
  tell(
    `"100-in-15min";r=${left};t=${seconds}${more && `, "long";r=${more};t=5000`}`,
    `"100-in-15min";q=100;w=900${more && ', "long";q=1000;w=86400'}`,
  );

async function pause(seconds: number): Promise<void> {
  const headers = { 'retry-after': String(seconds) };
  await budget.spend(async () => ({ status: 429, headers, body: '{}' }));
}

function refusalOf(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

const read = (app = one) => refusalOf(() => takeRead(context, app));
const write = (app = one) => refusalOf(() => takeWrite(context, app));
const needed = (app = one) => refusalOf(() => takeNeededRead(context, app));

function times(count: number, work: () => unknown): void {
  for (let number = 0; number < count; number += 1) expect(work()).toBeUndefined();
}

const HOUR = 3_600_000;

const GIVES_WAY = 'the rest of the budget is kept for writes and for other apps';
const KEPT = 'the rest of the budget is kept for other apps';
const PAUSED = 'the main API asked to wait';

const limit = (message: string, retryAfter: number) => expect.objectContaining({ message, retryAfter });

test('before the first report everybody may send, and nothing is counted', async () => {
  times(200, read);
  await report(20);
  times(3 * 20, read);
  expect(read()).toEqual(limit(GIVES_WAY, 600_000));
});

test('an app reads while it has used less than three times what is left, and writes on to nine times', async () => {
  await report(20);
  times(60, read);
  expect(read()).toBeInstanceOf(LimitReached);
  expect(read()).not.toBeInstanceOf(BudgetSpent);
  times(120, write);
  expect(write()).toBeInstanceOf(BudgetSpent);
  expect(write()).toEqual(limit(KEPT, 600_000));
  times(60, () => read(other));
});

test('below a tenth of the budget reads give way to writes until the window opens, at least a second', async () => {
  await report(9, 600);
  expect([read(), read(own)]).toEqual([limit(GIVES_WAY, 600_000), limit(GIVES_WAY, 600_000)]);
  expect(write()).toBeUndefined();
  clock.advance(599_500);
  expect(read()).toEqual(limit(GIVES_WAY, 1000));
  clock.advance(500);
  expect(read()).toBeUndefined();
});

test('a read without an earlier answer goes on to nine times, below a tenth too, and counts', async () => {
  await report(20);
  times(60, read);
  times(120, needed);
  expect(needed()).toEqual(limit(KEPT, 600_000));
  expect(needed()).toBeInstanceOf(NotSent);
  await report(9);
  times(9 * 9, () => needed(other));
  expect(needed(other)).toBeInstanceOf(NotSent);
  times(500, () => needed(own));
  await pause(30);
  times(500, () => needed({ modernClientId: BRIDGE, clientId: 'a third' }));
  expect(write({ modernClientId: BRIDGE, clientId: 'a third' })).toEqual(limit(PAUSED, 30_000));
});

test('at a tenth of the budget reads go on', async () => {
  await report(10);
  expect(read()).toBeUndefined();
});

test('the wait is that of the window that is used up, and a second at least', async () => {
  await report(20, 600, '900');
  times(60, read);
  expect(read()).toEqual(limit(GIVES_WAY, 600_000));
  clock.advance(599_900);
  expect(read()).toEqual(limit(GIVES_WAY, 1000));
  clock.advance(100);
  expect(read()).toBeUndefined();
});

test('of two windows that are used up the later one decides', async () => {
  await report(20, 600, '20');
  // Twenty of a thousand are less than a tenth, so only writes count here.
  times(180, write);
  expect(write()).toEqual(limit(KEPT, HOUR));
});

test('an app over its share waits for an hour at most, and then sends one request that asks', async () => {
  await report(20, 600, '20');
  times(180, write);
  clock.advance(600_000);
  expect(write()).toEqual(limit(KEPT, HOUR - 600_000));
  clock.advance(HOUR - 600_000);
  expect(write()).toBeUndefined();
  expect([write(), needed()]).toEqual([limit(KEPT, 1000), limit(KEPT, 1000)]);
  clock.advance(60_000);
  expect(needed()).toBeUndefined();
  expect(write()).toEqual(limit(KEPT, 1000));
  await report(20, 600, '19');
  expect(write()).toEqual(limit(KEPT, HOUR));
});

test('reads that give way ask again after an hour, once, and go on with a larger plan', async () => {
  await report(90, 600, '20');
  expect([read(), read(own)]).toEqual([limit(GIVES_WAY, HOUR), limit(GIVES_WAY, HOUR)]);
  clock.advance(HOUR);
  expect(read()).toBeUndefined();
  expect([read(), read(other)]).toEqual([limit(GIVES_WAY, 1000), limit(GIVES_WAY, 1000)]);
  await report(90, 600, '800');
  times(3, read);
});

test('where nothing is left a write waits for an hour at most, and then one asks', async () => {
  await report(50, 600, '0');
  expect([write(), write(own)]).toEqual([limit(PAUSED, HOUR), limit(PAUSED, HOUR)]);
  clock.advance(HOUR);
  expect(write()).toBeUndefined();
  expect(write(other)).toEqual(limit(KEPT, 1000));
  budget.askFirst();
  expect(write(own)).toEqual(limit(PAUSED, 60_000));
  await report(50, 600, '800');
  times(3, () => write(own));
});

test('an app that may send asks for nobody else', async () => {
  await report(20, 600, '20');
  times(180, write);
  clock.advance(HOUR);
  expect([write(other), write()]).toEqual([undefined, undefined]);
});

test('where one of two windows was told of lately, none asks again', async () => {
  const both = '"day";q=1000;w=86400, "month";q=1000;w=2592000';
  await tell('"day";r=20;t=80000, "month";r=20;t=2000000', both);
  times(180, write);
  clock.advance(HOUR / 2);
  await tell('"day";r=20;t=80000', both);
  clock.advance(HOUR / 2);
  expect(write()).toEqual(limit(KEPT, HOUR / 2));
});

test('in a pause none asks again, and one asks right after it', async () => {
  await report(90, 600, '20');
  clock.advance(HOUR - 10_000);
  await pause(30);
  clock.advance(10_000);
  expect(read()).toEqual(limit(GIVES_WAY, 1000));
  clock.advance(20_000);
  expect([read(), read()]).toEqual([undefined, limit(GIVES_WAY, 1000)]);
});

test('a window that has opened again begins at nothing', async () => {
  await report(20);
  times(60, read);
  clock.advance(600_000);
  await report(20);
  times(60, read);
  expect(read()).toBeInstanceOf(LimitReached);
});

test('an app with a client of its own shares with nobody', async () => {
  await report(20);
  times(500, () => read(own));
  times(500, () => write(own));
});

test('in a pause a read is neither refused nor counted, and a write is refused', async () => {
  await report(20);
  await pause(30);
  times(500, read);
  expect(write()).toBeInstanceOf(BudgetSpent);
  expect(write()).toEqual(limit(PAUSED, 30_000));
  expect(refusalOf(() => requireBudget(context, one))).toEqual(limit(PAUSED, 30_000));
  clock.advance(29_999);
  expect(write()).toEqual(limit(PAUSED, 1));
  clock.advance(1);
  expect(refusalOf(() => requireBudget(context, one))).toBeUndefined();
  times(60, read);
  expect(read()).toEqual(limit(GIVES_WAY, 570_000));
});

const many = (requests: number, app = one) => refusalOf(() => requireWrites(context, app, requests));

test('a call of many requests needs a share for the last of them, and all of them left', async () => {
  await report(20);
  expect(many(18)).toBeUndefined();
  expect(many(19)).toEqual(limit('what is left is too little for the whole call', 600_000));
  expect(many(20, own)).toBeUndefined();
  expect(many(21, own)).toEqual(limit('what is left is too little for the whole call', 600_000));
  expect(many(21, own)).toBeInstanceOf(BudgetSpent);
  // Nothing was counted.
  times(60, read);
  await pause(30);
  expect(many(1)).toEqual(limit(PAUSED, 30_000));
});

test('a call of many requests waits a second at least, and for the longest of the windows', async () => {
  await report(20, 600, '10');
  expect(many(15, own)).toEqual(limit('what is left is too little for the whole call', HOUR));
  await report(20, 0.2);
  expect(many(30, own)).toEqual(limit('what is left is too little for the whole call', HOUR));
});

test('a pause is the reason why a write was not sent, unless the failure is no matter of the new API', async () => {
  const failures = [
    new Unavailable('it is away'),
    new BudgetSpent('little is left', 5),
    new Error('a defect'),
  ];
  const [away, spent, defect] = failures;
  expect(failures.map((failure) => whyUnsent(context, one, failure))).toEqual(failures);
  await pause(30);
  expect(whyUnsent(context, one, away)).toEqual(limit(PAUSED, 30_000));
  expect(whyUnsent(context, one, spent)).toEqual(limit(PAUSED, 30_000));
  expect(whyUnsent(context, one, spent)).toBeInstanceOf(BudgetSpent);
  expect(whyUnsent(context, one, defect)).toBe(defect);
  clock.advance(30_000);
  expect(whyUnsent(context, one, away)).toBe(away);
});

test('below a tenth a line a minute says which app has used most of the tightest window', async () => {
  await report(50, 600, '900');
  times(5, read);
  times(3, () => write(other));
  expect(lines).toEqual([]);
  await report(9, 600, '890');
  read(other);
  write();
  const line = { message: 'little is left of a budget at the new API', window: '100 in 900', left: 9 };
  expect(lines).toEqual([{ ...line, modernClientId: BRIDGE, clientId: 'one', requests: 5 }]);
  clock.advance(60_000);
  write(other);
  expect(lines).toHaveLength(2);
});
