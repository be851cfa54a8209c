import { planOf } from './plan.ts';
import { readOptions } from '../options.ts';

const optionsOf = (...args: string[]) => readOptions(['--seed', '5', ...args]);

test('the same seed makes the same plan, and another one another', () => {
  expect(planOf(optionsOf())).toEqual(planOf(optionsOf()));
  expect(planOf(optionsOf())).not.toEqual(planOf(readOptions(['--seed', '6'])));
});

test.each(['sqlite', 'postgres'] as const)(
  'half an hour on %s meets every kind of strike and of fault',
  (database) => {
    const { strikes, faults } = planOf(optionsOf('--database', database));
    const onMachines = ['kill-machine', 'kill-first', 'stop', 'kill-worker', 'pause-worker', 'pause-machine'];
    const onDatabase = database === 'postgres' ? ['crash-database', 'restart-database'] : [];
    expect(new Set(strikes.map(({ kind }) => kind))).toEqual(new Set([...onMachines, ...onDatabase]));
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(
      new Set(['network', 'refresh answer', 'main answer', 'hole']),
    );
  },
);

test.each(['sqlite', 'postgres'] as const)(
  'from a time on one process on %s is not ended any more',
  (database) => {
    for (let seed = 0; seed < 20; seed += 1) {
      const { strikes, sparedFrom } = planOf(readOptions(['--seed', String(seed), '--database', database]));
      const late = strikes.filter(({ at }) => at >= sparedFrom);
      const ending = late.filter(
        (strike) =>
          ['kill-machine', 'kill-first', 'stop'].includes(strike.kind) &&
          'machine' in strike &&
          strike.machine === 0,
      );
      expect(ending).toEqual([]);
      const eldest = late.filter((strike) => strike.kind === 'kill-worker' && strike.which === 'eldest');
      expect(eldest).toEqual([]);
      expect(late.length).toBeGreaterThan(10);
    }
  },
);

test('a short run has short limits unless it is told otherwise', () => {
  expect(optionsOf('--minutes', '0.5').pace.name).toBe('short');
  expect(optionsOf('--minutes', '0.5', '--limits', 'real').pace.name).toBe('real');
  expect(optionsOf().pace.name).toBe('real');
});

test.each([
  ['--minutes', '0'],
  ['--minutes', 'x'],
  ['--rows', '5'],
  ['--database', 'mysql'],
  ['--sabotage', 'unknown'],
  ['--unknown', '1'],
])('%s %s is no command line', (...args) => {
  expect(() => readOptions(args)).toThrow();
});
