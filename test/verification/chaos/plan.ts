import { type Chance, chanceOf } from '../shared/faults/chance.ts';

/** What each round does, derived from the seed alone. */

/** Before the database is migrated both bridges are of the older version. */
export const KINDS = [
  'kill',
  'kill both',
  'stop',
  'stop both',
  'upgrade',
  'downgrade',
  'replace killed',
  'crash database',
  'restart database',
  'cut connections',
  'new API away',
  'new API slow',
  'rotate keys',
  'kill and rotate',
] as const;

export type StrikeKind = (typeof KINDS)[number] | 'migrate';

export type Side = 'older' | 'newer';

export interface Round {
  number: number;
  kind: StrikeKind;
  /** Which bridge is struck, or the first of both. */
  machine: 0 | 1;
  /** How long something is away or slow, in milliseconds. */
  ms: number;
  /** What each bridge runs when the round is over. */
  versions: [Side, Side];
}

/** They need both versions. */
const MIXED: readonly StrikeKind[] = ['upgrade', 'downgrade', 'replace killed'];

/** Kinds in a random order, all of them before any comes again. */
function* inTurns(chance: Chance, list: readonly StrikeKind[]): Generator<StrikeKind, never> {
  for (;;) {
    const left = [...list];
    while (left.length > 0) yield left.splice(chance.between(0, left.length - 1), 1)[0] as StrikeKind;
  }
}

const other = (side: Side): Side => (side === 'older' ? 'newer' : 'older');

interface Draw {
  kind: StrikeKind;
  machine: 0 | 1;
  versions: [Side, Side];
}

/** Where no bridge can be upgraded one is downgraded, and the other way round. */
function withVersions({ kind, machine, versions }: Draw): Draw {
  const after: [Side, Side] = [...versions];
  const turn = (index: 0 | 1) => (after[index] = other(after[index]));
  if (kind === 'migrate' || kind === 'replace killed') turn(machine);
  if (kind !== 'upgrade' && kind !== 'downgrade') return { kind, machine, versions: after };
  const from: Side = kind === 'upgrade' ? 'older' : 'newer';
  const fitting = ([machine, machine === 0 ? 1 : 0] as const).find((index) => versions[index] === from);
  const chosen = fitting ?? machine;
  turn(chosen);
  return { kind: after[chosen] === 'newer' ? 'upgrade' : 'downgrade', machine: chosen, versions: after };
}

/** So many rounds are played by the older version alone. */
const before = (rounds: number) => Math.min(6, Math.floor(rounds / 8));

/** The rounds of a chaos. */
export function planOf(seed: number, rounds: number, only?: StrikeKind): Round[] {
  const chance = chanceOf(seed, 0);
  const alone = KINDS.filter((kind) => !MIXED.includes(kind));
  const early = inTurns(chance, alone);
  const late = inTurns(chance, only === undefined ? KINDS : [only]);
  const plan: Round[] = [];
  let versions: [Side, Side] = ['older', 'older'];
  for (let number = 1; number <= rounds; number += 1) {
    const turn = number - 1 - before(rounds);
    const kind = turn < 0 ? early.next().value : turn === 0 ? 'migrate' : late.next().value;
    const draw = withVersions({ kind, machine: chance.happens(0.5) ? 1 : 0, versions });
    versions = draw.versions;
    plan.push({ number, ...draw, ms: chance.between(1500, 3000) });
  }
  return plan;
}
