import type { RehearsalOptions } from './options.ts';
import type { Took } from './machine.ts';
import type { Arrival } from '../shared/mail-server.ts';
import type { Violation } from './oracle/oracle-parts.ts';

/** What a rehearsal counted. */
export interface Tally {
  ticks: number;
  mails: number;
  /** By machine. */
  mailsOf: number[];
  repeats: number;
  kills: number;
  /** Kills that left a mail claimed and not marked. */
  killsUnmarked: number;
  killsLeft: number;
  due: number;
  /** Stages that arrived, each once. */
  delivered: number;
  /** Stages that nobody can be told and that are listed for support. */
  listed: number;
  seconds: number;
  violations: Array<{ violation: Violation; text: string }>;
  /** Message-IDs that arrived from a machine that was killed in the same tick. */
  atRisk: Set<string>;
  /** Whose mail it was, by the id in the ledger. */
  arrived: Map<string, string>;
  /** The ids in the ledger of all that ever were at risk. */
  risked: Set<string>;
  complaints: string;
  work: Record<'plan' | 'deliver', Took[]>;
  addWork(work: 'plan' | 'deliver', times: ReadonlyArray<Took | undefined>): void;
  addKill(claimed: number): void;
  /** Mails that arrived in a tick in which this machine was killed, or none. */
  addArrivals(arrivals: readonly Arrival[], killed: number | undefined): void;
}

/** The id in the ledger. */
export const idOf = (messageId: string): string => messageId.split('@')[0] ?? '';

export function newTally(): Tally {
  const tally: Tally = {
    ticks: 0,
    mails: 0,
    mailsOf: [],
    repeats: 0,
    kills: 0,
    killsUnmarked: 0,
    killsLeft: 0,
    due: 0,
    delivered: 0,
    listed: 0,
    seconds: 0,
    violations: [],
    atRisk: new Set(),
    arrived: new Map(),
    risked: new Set(),
    complaints: '',
    work: { plan: [], deliver: [] },
    addWork: (work, times) => void tally.work[work].push(...times.flatMap((took) => took ?? [])),
    addArrivals(arrivals, killed) {
      tally.mails += arrivals.length;
      for (const { machine, messageId } of arrivals) {
        tally.mailsOf[machine] = (tally.mailsOf[machine] ?? 0) + 1;
        if (machine !== killed) continue;
        tally.atRisk.add(messageId);
        tally.risked.add(idOf(messageId));
      }
    },
    addKill(claimed) {
      tally.kills += 1;
      if (claimed > 0) tally.killsUnmarked += 1;
    },
  };
  return tally;
}

const seconds = (times: readonly number[]): number =>
  Math.round(times.reduce((all, ms) => all + ms, 0) / 1000);

function timesOf(times: readonly Took[]): string {
  const sorted = times.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  const cpu = seconds(times.map((took) => took.cpu));
  const each = `each ${at(0.5)} ms (median), ${at(0.95)} ms (95 %), ${at(1)} ms (longest)`;
  return `${seconds(sorted)} s on both machines together, ${cpu} s of processor; ${each}`;
}

/** One line for each figure. */
export function tableOf(tally: Tally, { people, tokens, days, seed, database }: RehearsalOptions): string {
  const count = (name: Violation) => tally.violations.filter(({ violation }) => violation === name).length;
  const named = ['missing', 'twice', 'too late', 'not due', 'second mail', 'night'] as const;
  const others = tally.violations.filter(({ violation }) => !named.some((name) => name === violation)).length;
  const left = tally.killsLeft > 0 ? `, ${tally.killsLeft} found no mail to strike at` : '';
  const lines: Array<[string, string | number]> = [
    ['seed', `${seed}, ${database}`],
    ['people', people],
    ['tokens', tokens],
    ['days', days],
    ['ticks of both machines', tally.ticks],
    ['kills', `${tally.kills}, ${tally.killsUnmarked} between claim and mark${left}`],
    ['mails', `${tally.mails}, by machine ${tally.mailsOf.join(' and ')}`],
    ['repeats that the mail server recognised', tally.repeats],
    ['stages due', tally.due],
    ['stages delivered', tally.delivered],
    ['stages listed for support, nobody being reachable', tally.listed],
    ...named.map((name): [string, number] => [
      name === 'not due' ? 'after acting, or not due' : name,
      count(name),
    ]),
    ['other violations', others],
    ['planning', timesOf(tally.work.plan)],
    ['delivering', timesOf(tally.work.deliver)],
    ['processor of the rehearsal itself', `${Math.round(process.cpuUsage().user / 1e6)} s`],
    ['seconds', Math.round(tally.seconds)],
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}
