import { LIMITS, QUIET_SECONDS } from '../shared/limits.ts';
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

test('on PostgreSQL a round is the same, but for crashes of the database and machines that are cut off from it', () => {
  for (const round of ROUNDS) {
    const { databaseCrash: _only, hasSibling: _guarded, ...plan } = planOf(5, round, 'postgres');
    const { hasSibling: _beside, ...same } = planOf(5, round, 'sqlite');
    if (plan.name !== 'partition') expect(plan).toEqual(same);
  }
  const crashes = ROUNDS.filter((round) => planOf(5, round, 'postgres').databaseCrash !== undefined);
  expect(crashes.length).toBeGreaterThan(40);
});

test('machines are cut off until the other one has settled, with introspection and without, and some are killed', () => {
  const plans = ROUNDS.map((round) => planOf(5, round, 'postgres')).filter(
    ({ name }) => name === 'partition',
  );
  expect(plans.length).toBeGreaterThan(40);
  expect(new Set(plans.map(({ round }) => round % 2)).size).toBe(2);
  // A server that cannot be asked would take a second presentation for theft.
  for (const { round, hasSibling } of plans) expect(round % 2 === 0 || hasSibling).toBe(true);
  const killed = plans.filter(({ traps }) => traps.some(({ action }) => action === 'kill'));
  expect(killed.length).toBeGreaterThan(10);
  expect(killed.length).toBeLessThan(plans.length);
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

test('processes are stopped at each point for less than every limit, past the lease and past the quiet time', () => {
  const stops = ROUNDS.map((round) => planOf(5, round, 'sqlite')).filter(({ name }) => name === 'stop');
  const drawn = new Set(stops.map(({ traps, pause }) => `${traps[0]?.point} ${pause}`));
  const [points, pauses] = [
    new Set(stops.map(({ traps }) => traps[0]?.point)),
    new Set(stops.map(({ pause }) => pause)),
  ];
  expect(drawn.size).toBe(points.size * pauses.size);
  const quiet = QUIET_SECONDS * 1000;
  const longest = Math.max(...pauses);
  expect(Math.min(...pauses)).toBeLessThan(LIMITS.CLAIM_TO_WRITE_LIMIT);
  expect([...pauses].some((pause) => pause > LIMITS.PRESENTING_LIMIT && pause < quiet)).toBe(true);
  expect(longest).toBeGreaterThan(quiet + LIMITS.UPSTREAM_TIMEOUT);
});

test('as many rounds as there are kinds meet each of them, and twenty meet what stands beside the points', () => {
  const names = ROUNDS.map((round) => planOf(5, round, 'sqlite').name);
  const kinds = new Set(names);
  expect(new Set(names.slice(0, kinds.size)).size).toBe(kinds.size);
  const others = new Set(names.slice(0, 20).filter((name) => !crashPoints.includes(name)));
  expect(others.size).toBeGreaterThan(1);
});
