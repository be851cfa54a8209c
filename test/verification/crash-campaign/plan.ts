import { type Chance, chanceOf } from '../shared/faults/chance.ts';
import type { NetworkFault } from '../shared/faults/fault-proxy.ts';
import { LIMITS, QUIET_SECONDS } from '../shared/limits.ts';
import { anyFault, losingFault, mildFault } from '../shared/faults/network-faults.ts';
import type { HostileAnswer } from '../shared/recorder.ts';

/** What happens in a round, derived from the seed and the round's number alone. */

export interface Trap {
  point: string;
  /** `cut` takes the database away from this process's machine alone. */
  action: 'kill' | 'stop' | 'fail' | 'cut';
  /** How often it is sprung, and how often the point is passed before. */
  left?: number;
  skip?: number;
  /** Which of the database's failures. */
  variant?: number;
}

export type Scenario = 'refresh' | 'exchange' | 'consent' | 'deauthorize';

export interface Plan {
  round: number;
  name: string;
  scenario: Scenario;
  /** The point that must be hit by a kill in this round. */
  point?: string;
  traps: Trap[];
  /** Armed in a process that starts again. */
  restartTraps: Trap[];
  network?: NetworkFault;
  hostile?: HostileAnswer;
  /** How far the clock of each process is set away, in milliseconds. */
  shifts: [number, number];
  callers: number;
  /** The time over which the callers come. */
  spread: number;
  restartAfter: number;
  /** How long a process that was stopped stays so. */
  pause: number;
  /** Kills from outside: which process, and when. */
  kills: Array<{ process: number; after: number }>;
  /** Whether the access token still lives when its pair is renewed. */
  isEarly: boolean;
  /** Whether another grant of the same account stands beside. */
  hasSibling: boolean;
  /** Whether the modern side revokes the grant beforehand. */
  isRevoked: boolean;
  /** Whether the machine that reaches a cut has no database until the other one, which keeps its own way, has settled. */
  isPartitioned?: true;
  /** When PostgreSQL crashes. */
  databaseCrash?: number;
  /** The first of the two processes that is called. */
  first: number;
}

type Recipe = Partial<Plan>;
type Draw = (chance: Chance) => Recipe;

const kill = (point: string): Trap => ({ point, action: 'kill' });

const sometimes = (chance: Chance, fault: (chance: Chance) => NetworkFault): Recipe =>
  chance.happens(0.4) ? { network: fault(chance) } : {};

const refresh =
  (weather: (chance: Chance) => NetworkFault): Draw =>
  (chance) => ({ scenario: 'refresh', ...sometimes(chance, weather) });

const inDoubt: Draw = (chance) => ({
  scenario: 'refresh',
  network: losingFault(chance),
  hasSibling: chance.happens(0.3),
});

const hostile =
  (...answers: HostileAnswer[]): Draw =>
  (chance) => ({ scenario: 'refresh', hostile: chance.pick(answers) });

/** The database fails directly after the answer came, so that the pair is spilled. */
const spilled =
  (left: number, ...then: Trap[]): Draw =>
  (chance) => {
    const fail: Trap = { point: 'store.before', action: 'fail', left, variant: chance.between(0, 2) };
    return { scenario: 'refresh', traps: [fail, ...then] };
  };

const revoked: Draw = () => ({ scenario: 'refresh', isRevoked: true });
const scene =
  (scenario: Scenario): Draw =>
  () => ({ scenario });

/** Every named crash point, with what brings a process to it. */
const CRASH_POINTS: Record<string, Draw> = {
  'connect.before': refresh(mildFault),
  'connect.after': refresh(anyFault),
  'claim.before': refresh(anyFault),
  'claim.after': refresh(anyFault),
  'request-out': refresh(anyFault),
  'answer-arrived': refresh(mildFault),
  'pair-received': refresh(mildFault),
  'store.before': refresh(mildFault),
  'store.after': refresh(mildFault),
  'pair-kept': refresh(mildFault),
  'doubt.before': inDoubt,
  'doubt.after': inDoubt,
  'doubting.after': inDoubt,
  'introspection.after': inDoubt,
  'release.before': hostile('slow-down', 'client-refused'),
  'release.after': hostile('slow-down', 'client-refused'),
  // Where the process stays away for long, the other one has to find what it spilled.
  'spill.after': (chance) => ({
    ...spilled(9)(chance),
    ...(chance.happens(0.5) && { restartAfter: QUIET_SECONDS * 1000 + 2500 }),
  }),
  'spill-stored': spilled(2),
  // By the process itself when it has started again, or by the other one.
  'spill-taken-back': (chance) => ({
    ...spilled(9, kill('spill.after'))(chance),
    restartTraps: [kill('spill-taken-back')],
    restartAfter: 0,
  }),
  'burial.before': revoked,
  'death.after': revoked,
  'burial.after': revoked,
  'code-claim.after': scene('exchange'),
  'exchange.after': scene('exchange'),
  'grant.after': scene('consent'),
  'new-code.before': scene('consent'),
  'new-code.after': scene('consent'),
  'deauthorizing.after': scene('deauthorize'),
  'settling.before': scene('deauthorize'),
  'revocation.before': scene('deauthorize'),
  'revocation.after': scene('deauthorize'),
};

export const crashPoints: readonly string[] = Object.keys(CRASH_POINTS);

/** Past the quiet time with time for the other process to act, past the lease, and shorter than every limit. */
const PAUSES = [QUIET_SECONDS * 1000 + 2500, LIMITS.PRESENTING_LIMIT + 200, 500];

const STOPPED_AT = ['request-out', 'claim.after', 'answer-arrived', 'claim.before', 'connect.after'];

const STOPS = PAUSES.flatMap((pause) => STOPPED_AT.map((point) => ({ point, pause })));

/** Where a database may fail: at a statement, or at a commit of which nobody knows whether it was done. */
const FAILS_AT = [
  'claim.before',
  'claim.after',
  'store.before',
  'store.after',
  'commit.after',
  'doubt.before',
  'doubt.after',
  'release.before',
  'release.after',
  'spill.before',
  'code-claim.after',
];

function failing(chance: Chance): Recipe {
  const point = chance.pick(FAILS_AT);
  const traps: Trap[] = [
    { point, action: 'fail', left: chance.between(1, 4), variant: chance.between(0, 2) },
  ];
  if (point === 'code-claim.after') return { scenario: 'exchange', traps };
  if (point.startsWith('doubt')) return { ...inDoubt(chance), traps };
  if (point.startsWith('release')) return { ...hostile('slow-down', 'client-refused')(chance), traps };
  if (point === 'spill.before') traps.push({ point: 'store.before', action: 'fail', left: 4 });
  return { ...refresh(mildFault)(chance), traps };
}

/** What happens beside the named points, in a turn with them; `turn` counts the rounds of a kind. */
const OTHERS: Record<string, (chance: Chance, turn: number) => Recipe> = {
  stop: (chance, turn) => {
    const { point, pause } = STOPS[turn % STOPS.length] as (typeof STOPS)[number];
    return { ...refresh(mildFault)(chance), traps: [{ point, action: 'stop' }], pause, kills: [] };
  },
  'random-kill': (chance) => ({
    ...refresh(anyFault)(chance),
    scenario: chance.pick(['refresh', 'refresh', 'refresh', 'exchange', 'deauthorize'] as const),
    kills: killsOf(chance, 3),
  }),
  network: (chance) => ({ scenario: 'refresh', network: anyFault(chance), hasSibling: chance.happens(0.2) }),
  hostile: hostile(
    'slow-down',
    'client-refused',
    'server-error',
    'busy',
    'unread-refusal',
    'not-json',
    'half-a-pair',
  ),
  storage: failing,
  early: (chance) => ({ ...inDoubt(chance), isEarly: true }),
};

/** Up to so many kills from outside, at random times. */
function killsOf(chance: Chance, most: number): Plan['kills'] {
  return Array.from({ length: chance.between(1, most) }, () => ({
    process: chance.between(0, 1),
    after: chance.between(0, 600),
  }));
}

const KINDS = [...crashPoints, ...Object.keys(OTHERS)];

/** Rounds until every kind has had its turn; a prime, so that each meets both kinds of lanes, and any stride them all. */
const TURN = KINDS.length;

/** From one round's kind to the next one's, so that a short campaign meets kinds from the whole list. */
const STRIDE = 16;

function shiftOf(chance: Chance): number {
  return chance.happens(0.5) ? 0 : chance.pick([-1, 1]) * chance.between(1, 7200) * 1000;
}

function common(chance: Chance): Omit<Plan, 'round' | 'name'> {
  return {
    scenario: 'refresh',
    traps: [],
    restartTraps: [],
    // The browser of the tests goes by the Expires of the first one's cookies, which must not lie in the past.
    shifts: [Math.abs(shiftOf(chance)), shiftOf(chance)],
    callers: chance.between(2, 10),
    spread: chance.pick([0, 10, 60, 200]),
    restartAfter: chance.between(0, 500),
    pause: 0,
    kills: chance.happens(0.12) ? killsOf(chance, 1) : [],
    isEarly: false,
    hasSibling: false,
    isRevoked: false,
    first: chance.between(0, 1),
  };
}

/** Drawn in every round, so that the rest of a round is the same on both databases. */
function crashOf(chance: Chance, isPostgres: boolean): Pick<Plan, 'databaseCrash'> {
  const [happens, after] = [chance.happens(0.08), chance.between(0, 300)];
  return happens && isPostgres ? { databaseCrash: after } : {};
}

/** With the answer in hand, or on its way. */
const CUT_AT = ['claim.after', 'request-out', 'answer-arrived', 'pair-received', 'store.before'];

/**
 * One machine loses the database with an answer in hand, for longer than the other one waits; some are killed when the
 * pair lies in their spill. Where the server cannot be asked, another grant forbids to present again.
 */
function partitionOf(chance: Chance, round: number): Recipe {
  const isKilled = chance.happens(0.4);
  return {
    name: 'partition',
    scenario: 'refresh',
    traps: [{ point: chance.pick(CUT_AT), action: 'cut' }, ...(isKilled ? [kill('spill.after')] : [])],
    isPartitioned: true,
    kills: [],
    hasSibling: round % 2 === 1 || chance.happens(0.3),
  };
}

/** Drawn apart from the rest, for SQLite lies on one machine and its rounds stay as they are. */
function isPartitioned(chance: Chance, name: string, database: 'sqlite' | 'postgres'): boolean {
  return database === 'postgres' && name in OTHERS && chance.happens(0.35);
}

/** Two machines share no spill: what one of them cannot take back soon must not be presented again meanwhile. */
function withoutSecondSend(plan: Plan, database: 'sqlite' | 'postgres'): Plan {
  const spills = plan.traps.some(({ point }) => point.startsWith('spill') || point === 'store.before');
  const isAtRisk = database === 'postgres' && plan.round % 2 === 1 && plan.scenario === 'refresh' && spills;
  return isAtRisk ? { ...plan, hasSibling: true } : plan;
}

/** The plan of a round. */
export function planOf(seed: number, round: number, database: 'sqlite' | 'postgres'): Plan {
  const plan = planOfKind(seed, round, database);
  const apart = chanceOf(seed + 2_000_003, round);
  if (!isPartitioned(apart, plan.name, database)) return withoutSecondSend(plan, database);
  const { network: _network, hostile: _hostile, databaseCrash: _crash, ...calm } = plan;
  return { ...calm, pause: 0, isEarly: false, ...partitionOf(apart, round) };
}

function planOfKind(seed: number, round: number, database: 'sqlite' | 'postgres'): Plan {
  const chance = chanceOf(seed, round);
  const [turn, name] = [Math.floor(round / TURN), KINDS[(round * STRIDE) % TURN] as string];
  const base = { round, name, ...common(chance), ...crashOf(chance, database === 'postgres') };
  const recipe = CRASH_POINTS[name];
  if (!recipe) return { ...base, ...OTHERS[name]?.(chance, turn) };
  const drawn = recipe(chance);
  const traps = [...(drawn.traps ?? []), kill(name)];
  return { ...base, ...drawn, traps, point: name };
}
