import { type Chance, chanceOf } from '../../shared/faults/chance.ts';
import type { NetworkFault } from '../../shared/faults/fault-proxy.ts';
import { losingFault, mildFault } from '../../shared/faults/network-faults.ts';
import type { HostileAnswer, MainFault } from '../../shared/recorder.ts';
import type { SoakOptions } from '../options.ts';
import type { Pace } from '../pace.ts';

/** When what happens in a soak, derived from its options alone. Times are milliseconds from the beginning of the load. */

/** What is done to the processes of a machine, or to PostgreSQL. */
export type Strike = { at: number } & (
  | { kind: 'kill-machine' | 'kill-first' | 'stop'; machine: number; rest: number; workers: number }
  | { kind: 'kill-worker'; machine: number; which: 'eldest' | 'youngest' }
  | { kind: 'pause-worker' | 'pause-machine'; machine: number; ms: number }
  | { kind: 'crash-database' | 'restart-database' }
);

/** What goes wrong at the new API, or on the way to it. */
export type Fault = { at: number } & (
  | { kind: 'network'; of: 'refreshes' | 'main API'; fault: NetworkFault; times: number }
  | { kind: 'refresh answer'; answer: HostileAnswer; times: number }
  | { kind: 'main answer'; fault: MainFault; times: number }
  | { kind: 'hole'; ms: number }
);

export type Chore = 'rotation' | 'import' | 'backup' | 'reminders';

export interface SoakPlan {
  strikes: Strike[];
  faults: Fault[];
  chores: Record<Chore, number>;
  /** From then on one process of the first machine lives, so that its memory can be judged. */
  sparedFrom: number;
}

/** Ways of one list in a random order, all of them before any comes again. */
function* inTurns<T>(chance: Chance, list: readonly T[]): Generator<T, never> {
  for (;;) {
    const left = [...list];
    while (left.length > 0) yield left.splice(chance.between(0, left.length - 1), 1)[0] as T;
  }
}

interface Times {
  from: number;
  to: number;
  every: number;
}

function timesOf(chance: Chance, { from, to, every }: Times): number[] {
  const times: number[] = [];
  const step = () => chance.between(Math.floor(every / 2), Math.floor((every * 3) / 2));
  for (let at = from; at < to; at += step()) times.push(Math.floor(at));
  return times;
}

const ON_MACHINES = [
  'kill-machine',
  'kill-first',
  'stop',
  'kill-worker',
  'pause-worker',
  'pause-machine',
] as const;
const ON_POSTGRES = ['crash-database', 'restart-database'] as const;

type StrikeKind = Strike['kind'];

/** What ends no process that is to live. */
const SPARING: readonly StrikeKind[] = ['kill-worker', 'pause-worker', 'pause-machine', ...ON_POSTGRES];

/** Of two machines the second has two workers; one that is alone has now one and now two. */
const WORKERS = [1, 2] as const;

interface StrikeDraw extends SoakOptions {
  chance: Chance;
  sparedFrom: number;
}

interface Aim {
  kind: StrikeKind;
  machine: number;
}

/** A process of the first machine is to live from a time on; the second machine and other workers are hit instead. */
function aimAt({ chance, database, sparedFrom }: StrikeDraw, at: number, kind: StrikeKind): Aim {
  const drawn = chance.between(0, 1);
  const isSpared = at >= sparedFrom && !SPARING.includes(kind);
  if (database === 'sqlite') return { kind: isSpared ? 'kill-worker' : kind, machine: 0 };
  return { kind, machine: isSpared || kind === 'kill-worker' ? 1 : drawn };
}

function workersAfter({ chance, database }: StrikeDraw, machine: number): number {
  return database === 'sqlite' ? chance.pick(WORKERS) : (WORKERS[machine] ?? 1);
}

function whichWorker({ chance, sparedFrom }: StrikeDraw, at: number): 'eldest' | 'youngest' {
  return at < sparedFrom && chance.happens(0.5) ? 'eldest' : 'youngest';
}

function strikeAt(draw: StrikeDraw, at: number, drawn: StrikeKind): Strike {
  const { chance, pace } = draw;
  const { kind, machine } = aimAt(draw, at, drawn);
  switch (kind) {
    case 'crash-database':
    case 'restart-database':
      return { at, kind };
    case 'kill-worker':
      return { at, kind, machine, which: whichWorker(draw, at) };
    case 'pause-worker':
    case 'pause-machine':
      return { at, kind, machine, ms: chance.between(200, pace.longestPause) };
    case 'kill-machine':
    case 'kill-first':
    case 'stop':
      return { at, kind, machine, workers: workersAfter(draw, machine), rest: chance.between(0, 2000) };
  }
}

/** On SQLite the one machine has two workers from then on, of which the eldest lives. */
function beforeSparing(options: SoakOptions, sparedFrom: number): Strike[] {
  if (options.database === 'postgres') return [];
  return [{ at: sparedFrom - 1, kind: 'stop', machine: 0, rest: 0, workers: 2 }];
}

function strikesOf(options: SoakOptions, times: Times, sparedFrom: number): Strike[] {
  const chance = chanceOf(options.seed, 1);
  const draw = { ...options, chance, sparedFrom };
  const kinds = inTurns<StrikeKind>(chance, [
    ...ON_MACHINES,
    ...(options.database === 'postgres' ? ON_POSTGRES : []),
  ]);
  const drawn = timesOf(chance, times).map((at) => strikeAt(draw, at, kinds.next().value));
  // a sabotaged build is caught by what goes wrong at the new API, and sooner where it serves
  if (options.sabotage !== 'none') return [];
  return [...drawn, ...beforeSparing(options, sparedFrom)].toSorted((one, other) => one.at - other.at);
}

const REFRESH_ANSWERS: readonly HostileAnswer[] = [
  'slow-down',
  'server-error',
  'busy',
  'unread-refusal',
  'not-json',
  'half-a-pair',
];

const MAIN_FAULTS: readonly MainFault[] = ['server-error', 'slow', 'cut'];

const DRAWS: ReadonlyArray<(chance: Chance, pace: Pace) => Omit<Fault, 'at'> & Record<string, unknown>> = [
  (chance) => ({ kind: 'network', of: 'refreshes', fault: losingFault(chance), times: 1 }),
  (chance) => ({ kind: 'network', of: 'refreshes', fault: mildFault(chance), times: chance.between(1, 4) }),
  (chance) => ({ kind: 'network', of: 'main API', fault: losingFault(chance), times: chance.between(1, 3) }),
  (chance) => ({ kind: 'refresh answer', answer: chance.pick(REFRESH_ANSWERS), times: 1 }),
  (chance) => ({ kind: 'main answer', fault: chance.pick(MAIN_FAULTS), times: chance.between(1, 6) }),
  (chance, pace) => ({ kind: 'hole', ms: chance.between(300, pace.longestHole) }),
];

function faultsOf({ seed, pace }: SoakOptions, times: Times): Fault[] {
  const chance = chanceOf(seed, 2);
  const draws = inTurns(chance, DRAWS);
  return timesOf(chance, times).map((at) => ({ at, ...draws.next().value(chance, pace) }) as Fault);
}

/** In a short run nothing is struck any more while mails leave: a claim of a killed process ends after five minutes. */
const STRUCK = { real: [0.06, 0.95], short: [0.2, 0.62] } as const;

/** The plan of a soak. */
export function planOf(options: SoakOptions): SoakPlan {
  const length = options.minutes * 60_000;
  const { every, name } = options.pace;
  const sparedFrom = Math.floor(length * 0.45);
  const part = (share: number) => Math.floor(length * share);
  const [from, to] = STRUCK[name];
  return {
    strikes: strikesOf(options, { from: part(from), to: part(to), every: every.strike }, sparedFrom),
    faults: faultsOf(options, { from: part(0.03), to: part(0.95), every: every.fault }),
    chores: { rotation: part(0.08), import: part(0.15), backup: part(0.45), reminders: part(0.65) },
    sparedFrom,
  };
}
