import type { PresentationCounts } from '../shared/checker/checker-presentations.ts';
import type { Violation } from '../shared/checker/checker.ts';
import type { Note, RoundHistory } from '../shared/checker/history.ts';
import type { CampaignOptions } from './options.ts';
import { crashPoints, type Plan } from './plan.ts';

/** What the campaign has met so far, and the one table that it prints. */
export interface Tally {
  add(
    plan: Plan,
    history: RoundHistory,
    found: { violations: Violation[]; counts: PresentationCounts },
  ): void;
  /** Faults that lanes count over all their rounds. */
  addFaults(kind: string, count: number): void;
  violations: Array<Violation & { round: number }>;
  rounds(): number;
  /** The points at which fewer processes than that were killed. */
  seldomHit(least: number): string[];
  table(options: CampaignOptions): string;
}

type Counter = Map<string, number>;

function count(counter: Counter, key: string, by = 1): void {
  if (by > 0) counter.set(key, (counter.get(key) ?? 0) + by);
}

type Hit = Extract<Note, { what: 'hit' }>;

const FAULT_OF: Record<string, string> = {
  stop: 'SIGSTOP',
  fail: 'storage failure',
  cut: 'one machine without PostgreSQL',
  kill: 'kill -9 at a point',
};

function countFaults(faults: Counter, plan: Plan, { notes, received, outages, since }: RoundHistory): void {
  for (const { action } of hitsOf(notes)) count(faults, FAULT_OF[action] ?? action);
  const fresh = received.filter(({ at }) => at >= since);
  for (const { hostile } of fresh) if (hostile) count(faults, `answer: ${hostile}`);
  const atPoints = new Set(hitsOf(notes).map(({ pid, action }) => (action === 'kill' ? pid : 0)));
  const killed = outages.filter(({ from, pid }) => from >= since && !atPoints.has(pid));
  count(faults, 'kill -9 at a random time', killed.length);
  count(faults, 'clock of a process shifted', plan.shifts.filter((shift) => shift !== 0).length);
  count(faults, 'PostgreSQL crashed', plan.databaseCrash === undefined ? 0 : 1);
}

function hitsOf(notes: readonly Note[]): Hit[] {
  return notes.filter((note): note is Hit => note.what === 'hit');
}

function countGrants(grants: Counter, history: RoundHistory): void {
  const refreshes = history.received.filter(
    ({ kind, status, repeated, at }) =>
      kind === 'refresh' && status === 200 && !repeated && at >= history.since,
  );
  count(grants, 'refreshes', refreshes.length);
  const named = {
    refresh_in_doubt: 'grants in doubt',
    refresh_recovered: 'recovered from doubt',
    refresh_unspent: 'out of doubt, nothing spent',
    grant_revived: 'revived by a late pair',
  };
  for (const { action } of history.events)
    if (action in named) count(grants, named[action as keyof typeof named]);
  count(grants, 'spilled pairs taken back', history.notes.filter(({ what }) => what === 'taken-back').length);
  const dead = history.grants.filter(({ deadAt }) => deadAt !== null && deadAt >= history.since - 100);
  for (const { deadCause } of dead) count(grants, `dead: ${deadCause}`);
}

function countCalls(calls: Counter, history: RoundHistory): void {
  for (const { operation, status } of history.calls)
    count(calls, `${operation} ${status ?? 'cut off by a kill'}`);
}

function lines(title: string, counter: Counter, order: readonly string[] = [...counter.keys()].toSorted()) {
  const rows = order.map((key) => `  ${key.padEnd(34)} ${String(counter.get(key) ?? 0).padStart(7)}`);
  return [title, ...rows];
}

const ALWAYS = [
  'presented again under the rule',
  'presented again after proof',
  'presented again WITHOUT either',
  'answers lost',
];

const MISSED = '(rounds that missed their point)';

function hasMissed({ point }: Plan, { notes }: RoundHistory): boolean {
  return point !== undefined && !hitsOf(notes).some((hit) => hit.point === point && hit.action === 'kill');
}

/** An empty tally. */
export function newTally(): Tally {
  const [faults, hits, grants, calls]: [Counter, Counter, Counter, Counter] = [
    new Map(),
    new Map(),
    new Map(),
    new Map(),
  ];
  const violations: Tally['violations'] = [];
  let rounds = 0;
  return {
    violations,
    rounds: () => rounds,
    seldomHit: (least) => crashPoints.filter((point) => (hits.get(point) ?? 0) < least),
    addFaults: (kind, by) => count(faults, kind, by),
    add(plan, history, found) {
      rounds += 1;
      countFaults(faults, plan, history);
      for (const { action, point } of hitsOf(history.notes)) if (action === 'kill') count(hits, point);
      if (hasMissed(plan, history)) count(hits, MISSED);
      countGrants(grants, history);
      countCalls(calls, history);
      count(grants, 'presented again under the rule', found.counts.underRule);
      count(grants, 'presented again after proof', found.counts.afterProof);
      count(grants, 'presented again WITHOUT either', found.counts.outside);
      const lost = found.violations.filter(({ invariant }) => invariant === 'answer lost').length;
      count(grants, 'answers lost', lost);
      violations.push(...found.violations.map((violation) => ({ ...violation, round: plan.round })));
    },
    table({ seed, database, sabotage }) {
      const others = [...grants.keys()].filter((key) => !ALWAYS.includes(key)).toSorted();
      const found = violations.map(({ invariant, round, text }) => `  round ${round}: ${invariant}: ${text}`);
      return [
        `rounds ${rounds}, seed ${seed}, ${database}${sabotage === 'none' ? '' : `, sabotaged: ${sabotage}`}`,
        ...lines('faults', faults),
        ...lines('hits per crash point', hits, [...crashPoints, MISSED]),
        ...lines('grants', grants, [...others, ...ALWAYS]),
        ...lines('calls answered', calls),
        `${violations.length} violations`,
        ...found,
      ].join('\n');
    },
  };
}
