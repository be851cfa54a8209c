import {
  createOverload,
  LOOK_EVERY,
  type Overload,
} from '../../../../src/domain/limits/overload/overload.ts';

/** A process that is late by as much as a test wants. */

export const LIMIT = 200;
/** Longer than it takes to see an overload, and to see its end. */
export const LONG = 3000;
/** Late for so long, a process is overloaded. */
const BEGINS_WITHIN = 800;

/** A process whose looks come late by `late` milliseconds each. */
export function createProcess(limit = LIMIT) {
  const overload = createOverload(limit);
  let now = 0;
  return {
    overload,
    look(late: number, databaseWait = 0) {
      now += LOOK_EVERY + late;
      overload.look({ now, databaseWait, requestWait: 0 });
    },
    /** Looks for so long; `between` runs before each. */
    pass(milliseconds: number, late: number, between: () => void = () => undefined) {
      const looks = Math.ceil(milliseconds / (LOOK_EVERY + late));
      for (let n = 0; n < looks; n += 1) {
        between();
        this.look(late);
      }
    },
  };
}

type Process = ReturnType<typeof createProcess>;

export function overloadedProcess(calls = 100): Process {
  const one = createProcess();
  one.pass(BEGINS_WITHIN, 150, () => {
    for (let n = 0; n < calls; n += 1) one.overload.arrives();
  });
  expect(one.overload.isOn()).toBe(true);
  return one;
}

/** Of so many calls with a token, how many are answered. */
export const countAdmitted = (overload: Overload, token: string | undefined, calls: number) =>
  Array.from({ length: calls }, () => overload.admits(token)).filter(Boolean).length;
