import { DAY, HOUR } from '../world/calendar.ts';
import { BEGINNING } from '../world/world.ts';
import { begin, nineBefore, RETIREMENT, stage } from './small-year.ts';

/** What the oracle asks for where a date moves, or an app has more time and has it no more. */

test('the oracle plans anew when the date moves to another day, and not within the day', () => {
  const { tick, names, oracle } = begin();
  tick(nineBefore(60), [{ keys: [stage(60)] }]);
  const sameDay = { kind: 'date', at: 0, name: 'retirement', value: RETIREMENT + HOUR } as const;
  oracle.apply(sameDay);
  tick(nineBefore(59));
  const later = RETIREMENT + 25 * DAY;
  oracle.apply({ ...sameDay, value: later });
  tick(nineBefore(58), [{ keys: [stage(90, later)] }]);
  expect(names()).toEqual([]);
});

test('the oracle counts an extension as the date of its app while nobody ends it', () => {
  const { tick, names, oracle } = begin();
  const until = RETIREMENT + 30 * DAY;
  oracle.apply({ kind: 'extend', at: 0, app: 'app', name: 'retirement', until });
  tick(nineBefore(60), [{ keys: [stage(90, until)] }]);
  oracle.apply({ kind: 'end-extension', at: 0, app: 'app', name: 'retirement' });
  tick(nineBefore(59), [{ keys: [stage(60)] }]);
  expect(names()).toEqual([]);
});

test.each<[words: string, told: readonly string[], expected: string[]]>([
  ['asks for the stage again after a day away', [stage(60)], []],
  ['misses it where nobody says that the date is back', [], ['missing']],
])('the oracle %s', (_words, told, expected) => {
  const { tick, names, oracle } = begin();
  const moved = { kind: 'date', at: 0, name: 'retirement' } as const;
  const away = RETIREMENT + 90 * DAY;
  tick(nineBefore(60), [{ keys: [stage(60)] }]);
  oracle.apply({ ...moved, value: away });
  tick(nineBefore(59), [{ keys: [stage(180, away)] }]);
  oracle.apply({ ...moved, value: RETIREMENT });
  tick(nineBefore(58), [{ keys: told }]);
  tick(nineBefore(57));
  expect(names()).toEqual(expected);
});

test.each<[words: string, told: number | undefined, expected: string[]]>([
  ['asks for the last stage for a week where an extension ends after the date of all', -16, []],
  ['misses it where it never comes', undefined, ['missing']],
  ['does not want it any later', -23, ['not due', 'too late']],
])('the oracle %s', (_words, told, expected) => {
  const { tick, names, oracle } = begin();
  const moreTime = { app: 'app', name: 'retirement' } as const;
  const until = RETIREMENT + 90 * DAY;
  oracle.apply({ ...moreTime, kind: 'extend', at: BEGINNING, until });
  tick(nineBefore(-14), [{ keys: [stage(90, until)] }]);
  oracle.apply({ ...moreTime, kind: 'end-extension', at: nineBefore(-15) });
  tick(nineBefore(-16), told === -16 ? [{ keys: [stage(0)] }] : []);
  if (told === -23) tick(nineBefore(told), [{ keys: [stage(0)] }]);
  tick(nineBefore(-30));
  expect(names()).toEqual(expected);
});
