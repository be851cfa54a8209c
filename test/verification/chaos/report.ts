import type { RoundResult, Violation } from './record.ts';
import { type ChaosVitals, growthOf } from './judge/vitals.ts';

/** The table of a chaos. */

const COLUMNS = [
  ['round', 5],
  ['strike', 18],
  ['bridges', 13],
  ['seconds', 7],
  ['calls', 6],
  ['pages', 5],
  ['cut', 4],
  ['again', 5],
  ['starved', 7],
  ['braked', 6],
  ['FAILED', 6],
  ['refreshes', 9],
  ['in doubt', 8],
  ['MB', 5],
] as const;

const HEADER = COLUMNS.map(([name, width]) => name.padStart(width)).join('  ');

const rowOf = (cells: ReadonlyArray<string | number>) =>
  cells.map((cell, n) => String(cell).padStart(COLUMNS[n]?.[1] ?? 0)).join('  ');

/** One line of the table. */
export function lineOfRound({ number, kind, versions, ...one }: RoundResult): string {
  const struck = [number, kind, versions.join(' '), one.seconds.toFixed(1), one.calls, one.pages];
  return rowOf([
    ...struck,
    one.cut,
    one.again,
    one.starved,
    one.braked,
    one.failed,
    one.refreshes,
    one.inDoubt,
    one.memory,
  ]);
}

export const headerOfTable = (): string => HEADER;

const SUMMED = ['calls', 'pages', 'cut', 'again', 'starved', 'braked', 'failed', 'refreshes'] as const;

type Summed = (typeof SUMMED)[number];

const sum = (rounds: readonly RoundResult[], name: Summed) =>
  rounds.reduce((total, round) => total + round[name], 0);

function summaryRow(name: string, rounds: readonly RoundResult[]): string {
  const seconds = rounds.reduce((total, round) => total + round.seconds, 0) / rounds.length;
  const numbers = SUMMED.map((each) => sum(rounds, each));
  return [name.padEnd(18), String(rounds.length).padStart(6), seconds.toFixed(1).padStart(8)]
    .concat(numbers.map((each) => String(each).padStart(9)))
    .join(' ');
}

const SUMMARY_HEADER = [
  'strike'.padEnd(18),
  'rounds'.padStart(6),
  'seconds'.padStart(8),
  ...SUMMED.map((name) => (name === 'failed' ? 'FAILED' : name).padStart(9)),
].join(' ');

const MEGABYTE = 1024 * 1024;

function growthLine(vitals: readonly ChaosVitals[], name: keyof ChaosVitals): string {
  const { warm, end } = growthOf(vitals, name);
  if (name === 'connections') return `  ${name.padEnd(12)} ${warm} -> ${end}`;
  return `  ${name.padEnd(12)} ${(warm / MEGABYTE).toFixed(2)} -> ${(end / MEGABYTE).toFixed(2)} MB`;
}

const WATCHED = ['bridges', 'balancer', 'modern', 'disk', 'database', 'connections'] as const;

export interface ChaosReport {
  rounds: RoundResult[];
  vitals: ChaosVitals[];
  violations: Violation[];
  tokens: number;
  presentations: number;
  presentedAgain: number;
  dead: number;
}

/** The sums by strike, and what was wrong. */
export function pageOfChaos(report: ChaosReport): string {
  const { rounds, vitals, violations } = report;
  const kinds = [...new Set(rounds.map(({ kind }) => kind))].toSorted();
  return [
    SUMMARY_HEADER,
    ...kinds.map((kind) =>
      summaryRow(
        kind,
        rounds.filter((round) => round.kind === kind),
      ),
    ),
    summaryRow('all', rounds),
    `tokens that answer in the end: ${report.tokens}`,
    `refresh tokens presented: ${report.presentations}; again under the rule: ${report.presentedAgain}; grants whose answer a kill took: ${report.dead}`,
    'medians of the second and the last quarter of the rounds',
    ...WATCHED.map((name) => growthLine(vitals, name)),
    `${violations.length} violations`,
    ...violations.map(({ round, rule, text }) => `  round ${round}, ${rule}: ${text}`),
  ].join('\n');
}
