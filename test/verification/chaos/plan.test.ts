import { KINDS, planOf } from './plan.ts';

/** The plan of a chaos is the seed's alone, and plays every strike. */

test('the same seed makes the same rounds, another one others', () => {
  expect(planOf(7, 60)).toEqual(planOf(7, 60));
  expect(planOf(8, 60)).not.toEqual(planOf(7, 60));
});

test('two hundred rounds play every strike often, and the migration once', () => {
  const kinds = planOf(7, 200).map(({ kind }) => kind);
  for (const kind of KINDS) expect(kinds.filter((one) => one === kind).length).toBeGreaterThan(4);
  expect(kinds.filter((kind) => kind === 'migrate')).toHaveLength(1);
});

test('before the migration both bridges are of the older version', () => {
  const plan = planOf(7, 200);
  const migration = plan.findIndex(({ kind }) => kind === 'migrate');
  expect(migration).toBeGreaterThan(3);
  for (const { versions } of plan.slice(0, migration)) expect(versions).toEqual(['older', 'older']);
  expect(plan[migration]?.versions).toContain('newer');
});

test('an upgrade goes to the newer version, a downgrade to the older one', () => {
  const plan = planOf(7, 200);
  for (const [n, { kind, machine, versions }] of plan.entries()) {
    const before = plan[n - 1]?.versions ?? ['older', 'older'];
    if (kind === 'upgrade') expect([before[machine], versions[machine]]).toEqual(['older', 'newer']);
    if (kind === 'downgrade') expect([before[machine], versions[machine]]).toEqual(['newer', 'older']);
  }
});
