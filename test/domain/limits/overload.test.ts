import { evenShare } from '../../../src/domain/limits/overload/even-share.ts';
import { LOOK_EVERY } from '../../../src/domain/limits/overload/overload.ts';
import { countAdmitted, createProcess, LIMIT, LONG, overloadedProcess } from './support/late-process.ts';

/** When a process is overloaded, and which calls it refuses then (docs/decisions/0026): pure, so by a time of its own. */

test('a process that is on time, or late now and then, refuses nothing', () => {
  const one = createProcess();
  one.pass(LONG, 1);
  for (let n = 0; n < 100; n += 1) {
    one.look(400);
    one.look(1);
  }
  expect(one.overload.isOn()).toBe(false);
  expect(countAdmitted(one.overload, 'a', 10_000)).toBe(10_000);
});

test('a burst that is over within half a second refuses nothing', () => {
  const one = createProcess();
  one.pass(450, 150);
  one.look(1);
  one.pass(450, 150);
  expect(one.overload.isOn()).toBe(false);
});

test('a process that is late all the time refuses calls, and says how late it is', () => {
  const { overload } = overloadedProcess();
  expect(overload.wait()).toBe(150);
  expect(overload.arrives()).toBe(true);
  expect(countAdmitted(overload, 'a', 10_000)).toBeLessThan(200);
  expect(overload.refused()).toBeGreaterThan(9000);
});

test('work that waits long for the database is lateness too', () => {
  const one = createProcess();
  for (let n = 0; n < 100; n += 1) one.look(0, 200);
  expect(one.overload.isOn()).toBe(true);
});

test('with a limit of 0 nothing is refused, however late the process is', () => {
  const one = createProcess(0);
  one.pass(LONG, 5000);
  expect(one.overload.isOn()).toBe(false);
});

const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** A call costs a quarter of a millisecond, a refusal a third of that; the load is twice what the process can do. */
test('under twice the load that it can bear, the wait settles far below the limit and most of what fits is served', () => {
  const one = createProcess();
  const [cost, refusalCost, perMillisecond] = [0.25, 0.08, 8];
  let [arrived, elapsed] = [0, LOOK_EVERY];
  const waits: number[] = [];
  const admitted: number[] = [];
  for (let slice = 0; slice < 200; slice += 1) {
    arrived = Math.round(elapsed * perMillisecond);
    let served = 0;
    for (let n = 0; n < arrived; n += 1) {
      one.overload.arrives();
      if (one.overload.admits(`token ${n % 50}`)) served += 1;
    }
    const work = served * cost + (arrived - served) * refusalCost;
    elapsed = Math.max(LOOK_EVERY, work);
    one.look(elapsed - LOOK_EVERY);
    if (slice > 50) {
      waits.push(elapsed);
      admitted.push(served / elapsed);
    }
  }
  expect(Math.max(...waits)).toBeLessThan(LIMIT / 2);
  // What is left beside the refusals: (1 - 8 × 0.08) / (0.25 - 0.08).
  expect(mean(admitted)).toBeGreaterThan(1.7);
});

test('after it was late, it soon answers nearly as many calls as before, and then more only slowly', () => {
  const one = overloadedProcess();
  /** How many calls are answered up to a look that is late by so much. */
  const slice = (late: number) => {
    const admitted = countAdmitted(one.overload, 'a', 10_000);
    one.look(late);
    return admitted;
  };
  for (let n = 0; n < 20; n += 1) slice(1);
  const tooMuch = slice(80);
  expect(slice(80)).toBeLessThan(tooMuch * 0.55);
  slice(80);
  expect(slice(1)).toBeLessThan(tooMuch * 0.3);
  const [first = 0, ...next] = Array.from({ length: 12 }, () => slice(1));
  expect(first).toBeGreaterThan(tooMuch * 0.65);
  expect(first).toBeLessThan(tooMuch * 0.75);
  expect(next[3]).toBeGreaterThan(tooMuch * 0.95);
  const beyond = next.slice(4).map((admitted, index) => admitted / (next[index + 3] ?? 0));
  expect(Math.max(...beyond)).toBeLessThan(1.04);
  expect(Math.min(...beyond)).toBeGreaterThan(1.02);
});

test('a process that can answer few calls a second does not fall behind', () => {
  const { overload } = overloadedProcess();
  const TAKES = 5;
  let [behind, now] = [0, 10_000];
  const waits: number[] = [];
  for (let slice = 0; slice < 800; slice += 1) {
    behind = Math.max(0, behind + countAdmitted(overload, 'a', 20) * TAKES - LOOK_EVERY);
    now += LOOK_EVERY;
    overload.look({ now, databaseWait: behind, requestWait: 0 });
    if (slice > 400) waits.push(behind);
  }
  expect(Math.max(...waits)).toBeLessThan(LIMIT);
});

/** A process with other work of 66 ms every 200 ms bears two thirds of what it bears without: 4 calls a millisecond. */
test('pauses that come again and again take little more than their own time', () => {
  const { overload } = overloadedProcess();
  let [backlog, now, admitted] = [0, 10_000, 0];
  for (let ms = 1; ms <= 20_000; ms += 1) {
    const served = Array.from({ length: 12 }, (_, n) => overload.admits(`token ${n}`)).filter(Boolean).length;
    backlog = Math.max(0, backlog + served / 6 + (12 - served) / 100 + (ms % 200 === 0 ? 66 : 0) - 1);
    if (ms > 5000) admitted += served;
    if (ms % LOOK_EVERY !== 0) continue;
    now += LOOK_EVERY;
    overload.look({ now, databaseWait: 0, requestWait: backlog });
  }
  expect(admitted / 15_000).toBeGreaterThan(3);
});

test('one app that calls much leaves the others their calls, and strangers count as one app', () => {
  const one = overloadedProcess();
  const { overload } = one;
  const small = ['b', 'c', 'd'];
  for (const app of ['a', ...small]) overload.learn(`token of ${app}`, app);
  const served = (token: string, calls: number) => countAdmitted(overload, token, calls);
  const round = () => {
    const flood = served('token of a', 500) + served('nobody knows this', 500);
    return { flood, small: small.map((app) => served(`token of ${app}`, 5)) };
  };
  for (let n = 0; n < 20; n += 1) {
    round();
    one.look(n === 19 ? 60 : 1);
  }
  const { flood, small: ofSmall } = round();
  expect(ofSmall).toEqual([5, 5, 5]);
  expect(flood).toBeLessThan(200);
});

test('few calls of an app are answered beside a flood, although there is next to no room', () => {
  const one = overloadedProcess(0);
  const { overload } = one;
  for (const app of ['flood', 'few']) overload.learn(`token of ${app}`, app);
  let [sent, answered] = [0, 0];
  for (let slice = 0; slice < 300; slice += 1) {
    countAdmitted(overload, 'token of flood', 50);
    // None, one or two at once.
    const calls = [0, 1, 2, 0, 2][slice % 5] ?? 0;
    const admitted = countAdmitted(overload, 'token of few', calls);
    if (slice > 100) [sent, answered] = [sent + calls, answered + admitted];
    one.look(150);
  }
  expect(answered).toBe(sent);
});

test('kept answers that make a process late take no room from other calls', () => {
  const one = overloadedProcess(0);
  let answered = 0;
  for (let slice = 0; slice < 100; slice += 1) {
    for (let n = 0; n < 400; n += 1) one.overload.answersKept('a');
    answered += countAdmitted(one.overload, 'a', 20);
    one.look(50);
  }
  expect(answered).toBeGreaterThan(0.95 * 100 * 20);
});

test('an overload ends where less room is impossible, kept answers are most of the work, and the process is not late enough to begin one', () => {
  const one = overloadedProcess(0);
  const refuse = (kept: number) => () => {
    for (let n = 0; n < kept; n += 1) one.overload.answersKept('a');
    countAdmitted(one.overload, 'a', 100);
  };
  one.pass(LONG, 120, refuse(200));
  expect(one.overload.isOn()).toBe(true);
  // More is refused than is kept: what is refused may be what makes the process late. After a quarter of a minute it is tried.
  one.pass(4 * LONG, 50, refuse(50));
  expect(one.overload.isOn()).toBe(true);
  one.pass(LONG, 50, refuse(200));
  expect(one.overload.isOn()).toBe(false);
  const other = overloadedProcess(0);
  other.pass(6 * LONG, 50, () => countAdmitted(other.overload, 'a', 100));
  expect(other.overload.isOn()).toBe(false);
});

test('an overload ends two seconds after the last refusal', () => {
  const one = overloadedProcess();
  countAdmitted(one.overload, 'a', 10_000);
  one.pass(1900, 1, () => countAdmitted(one.overload, 'a', 1));
  expect(one.overload.isOn()).toBe(true);
  one.pass(200, 1);
  expect(one.overload.isOn()).toBe(false);
});

test('however late it is, some calls are answered', () => {
  const one = overloadedProcess(0);
  one.pass(LONG, 175, () => countAdmitted(one.overload, 'a', 1000));
  // 160 a second.
  expect(countAdmitted(one.overload, 'a', 1000)).toBe(32);
});

test('where every read comes too late to its turn, some are answered between two looks, and the others are counted', () => {
  const one = overloadedProcess(0);
  const { overload } = one;
  const answered = () => Array.from({ length: 20 }, () => overload.admitsLate()).filter(Boolean).length;
  expect(overload.isTooLate(LIMIT)).toBe(true);
  for (let n = 0; n < 100; n += 1) {
    expect(answered()).toBe(10);
    one.look(150);
  }
  expect(overload.refused()).toBe(1000);
  expect(overload.isOn()).toBe(true);
});

test('what people do is refused only where refusing calls was not enough, and never all of it', () => {
  const one = overloadedProcess();
  const { overload } = one;
  const served = () => Array.from({ length: 100 }, () => overload.admitsLast()).filter(Boolean).length;
  expect(served()).toBe(100);
  one.pass(1000, 250);
  // 160 a second.
  expect(served()).toBe(44);
  one.look(100);
  expect(served()).toBe(100);
});

test.each([
  [[1, 2, 3], 6, Number.POSITIVE_INFINITY],
  [[10, 10], 10, 5],
  [[1, 100, 100], 21, 10],
  [[], 5, Number.POSITIVE_INFINITY],
])('of calls %j in room for %d each app may make %d', (calls, room, share) => {
  expect(evenShare(calls, room)).toBe(share);
});
