import { LOOK_EVERY } from '../../../src/domain/limits/overload/overload.ts';
import { countAdmitted, LIMIT, overloadedProcess } from './support/late-process.ts';

/** Whose calls an overloaded process refuses, where very many apps call or an app calls in vain (docs/decisions/0026). */

const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

test.each([
  // Apps, and how many calls each makes every half second.
  [50, 4],
  [500, 1],
  [2000, 1],
])('of %s apps with %s calls every half second a process answers what it can', (apps, burst) => {
  const { overload } = overloadedProcess(0);
  for (let app = 0; app < apps; app += 1) overload.learn(`token ${app}`, `app ${app}`);
  const [A_SECOND, LOOKS] = [200, 20];
  let [behind, now, answered] = [0, 10_000, 0];
  const waits: number[] = [];
  for (let look = 0; look < 1200; look += 1) {
    let admitted = 0;
    for (let app = look % LOOKS; app < apps; app += LOOKS)
      admitted += countAdmitted(overload, `token ${app}`, burst);
    behind = Math.max(0, behind + admitted - (A_SECOND * LOOK_EVERY) / 1000);
    now += LOOK_EVERY;
    const wait = (behind / A_SECOND) * 1000;
    overload.look({ now, databaseWait: wait, requestWait: 0 });
    if (look >= 400) [answered, waits[look - 400]] = [answered + admitted, wait];
  }
  expect(Math.max(...waits)).toBeLessThan(2 * LIMIT);
  expect(mean(waits)).toBeLessThan(LIMIT);
  expect(answered / 20).toBeGreaterThan(0.9 * A_SECOND);
});

test('beside the floods of many apps, nearly all calls of many quiet apps are answered', () => {
  const { overload } = overloadedProcess(0);
  const APPS = Array.from({ length: 50 }, (_, app) => app);
  for (const app of APPS)
    for (const kind of ['flood', 'quiet']) overload.learn(`${kind} ${app}`, `${kind} ${app}`);
  const [A_SECOND, LOOKS] = [1000, 40];
  let [behind, now, sent, answered] = [0, 10_000, 0, 0];
  for (let look = 0; look < 1600; look += 1) {
    const ofFloods = APPS.map((app) => countAdmitted(overload, `flood ${app}`, 5));
    // Each once a second.
    const quiet = APPS.filter((app) => app % LOOKS === look % LOOKS);
    const ofQuiet = quiet.filter((app) => overload.admits(`quiet ${app}`)).length;
    if (look >= 400) [sent, answered] = [sent + quiet.length, answered + ofQuiet];
    const admitted = ofFloods.reduce((sum, each) => sum + each, ofQuiet);
    behind = Math.max(0, behind + admitted - (A_SECOND * LOOK_EVERY) / 1000);
    now += LOOK_EVERY;
    overload.look({ now, databaseWait: (behind / A_SECOND) * 1000, requestWait: 0 });
  }
  expect(answered / sent).toBeGreaterThan(0.85);
});

test('where most calls of an app lately had no kept answer, none is looked for, and others are not concerned', () => {
  const one = overloadedProcess(0);
  const { overload } = one;
  for (const app of ['a', 'b']) overload.learn(`token of ${app}`, app);
  const mayHave = () => ['a', 'b'].map((app) => overload.mayHaveKept(`token of ${app}`));
  expect(mayHave()).toEqual([true, true]);
  expect(overload.mayHaveKept('nobody knows this')).toBe(false);
  const miss = (calls: number) => () => {
    for (let n = 0; n < calls; n += 1) overload.missesKept('token of a');
  };
  one.pass(500, 150, miss(3));
  expect(mayHave()).toEqual([true, true]);
  one.pass(500, 150, () => {
    miss(50)();
    for (let n = 0; n < 60; n += 1) overload.answersKept('a');
  });
  expect(mayHave()).toEqual([true, true]);
  one.pass(500, 150, miss(50));
  expect(mayHave()).toEqual([false, true]);
  one.pass(4000, 150, miss(0));
  expect(mayHave()).toEqual([true, true]);
});

test('where calls wait long for the database, no kept answer is looked for either', () => {
  const one = overloadedProcess(0);
  one.overload.learn('token', 'a');
  one.look(150, 101);
  expect(one.overload.mayHaveKept('token')).toBe(false);
  one.look(150, 100);
  expect(one.overload.mayHaveKept('token')).toBe(true);
});
