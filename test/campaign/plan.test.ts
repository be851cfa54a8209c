import { crashPoints, planOf } from './plan.ts';

const ROUNDS = Array.from({ length: 1000 }, (_, round) => round);

test('a round follows from the seed and its number alone', () => {
  for (const round of ROUNDS.slice(0, 80))
    expect(planOf(5, round, 'sqlite')).toEqual(planOf(5, round, 'sqlite'));
  const differing = ROUNDS.filter(
    (round) => JSON.stringify(planOf(5, round, 'sqlite')) !== JSON.stringify(planOf(6, round, 'sqlite')),
  );
  expect(differing.length).toBeGreaterThan(950);
});

test('on PostgreSQL a round is the same, but for crashes of the database', () => {
  for (const round of ROUNDS) {
    const { databaseCrash: _only, ...plan } = planOf(5, round, 'postgres');
    expect(plan).toEqual(planOf(5, round, 'sqlite'));
  }
  const crashes = ROUNDS.filter((round) => planOf(5, round, 'postgres').databaseCrash !== undefined);
  expect(crashes.length).toBeGreaterThan(40);
});

test('in a thousand rounds each point is aimed at more than twenty-five times, with introspection and without', () => {
  expect(crashPoints.length).toBeGreaterThanOrEqual(12);
  for (const point of crashPoints) {
    const aimed = ROUNDS.filter((round) => planOf(5, round, 'sqlite').point === point);
    expect(aimed.length).toBeGreaterThan(25);
    expect(new Set(aimed.map((round) => round % 2)).size).toBe(2);
  }
});

test('every fault of the network happens, and processes are killed, stopped and set wrong', () => {
  const plans = ROUNDS.map((round) => planOf(5, round, 'sqlite'));
  const kinds = new Set(plans.map(({ network }) => network?.kind));
  for (const kind of ['latency', 'reset', 'cut', 'black-hole', 'slow', 'duplicate'] as const)
    expect(kinds).toContain(kind);
  expect(plans.filter(({ kills }) => kills.length > 0).length).toBeGreaterThan(50);
  expect(plans.filter(({ traps }) => traps.some(({ action }) => action === 'stop')).length).toBeGreaterThan(
    20,
  );
  expect(plans.filter(({ shifts }) => shifts.some((shift) => shift !== 0)).length).toBeGreaterThan(500);
});
