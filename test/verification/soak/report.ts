import type { Judged } from './judge/judge.ts';
import type { Trend } from './judge/vitals.ts';
import type { SoakRun } from './run.ts';
import type { Vitals } from './watch/vitals.ts';

/** The page of figures that a soak ends with. */

const MEGABYTE = 1024 * 1024;

function lines(title: string, counts: Iterable<readonly [string, number | string]>): string[] {
  const rows = [...counts].map(([name, value]) => `  ${name.padEnd(52)} ${String(value).padStart(8)}`);
  return rows.length === 0 ? [] : [title, ...rows];
}

/** Those that begin so, without the beginning, by name. */
function countsOf({ ledger }: SoakRun, beginning: string): Array<[string, number]> {
  return [...ledger.counts]
    .filter(([name]) => name.startsWith(beginning))
    .map(([name, count]): [string, number] => [name.slice(beginning.length), count])
    .toSorted(([one], [other]) => one.localeCompare(other));
}

function grantCounts({ history, counts }: Judged): Array<[string, number]> {
  const refreshes = history.received.filter(({ kind, repeated }) => kind === 'refresh' && !repeated);
  const named: Array<[string, string]> = [
    ['refresh_in_doubt', 'grants in doubt'],
    ['refresh_recovered', 'recovered from doubt'],
    ['refresh_unspent', 'out of doubt, nothing spent'],
    ['grant_revived', 'revived by a late pair'],
  ];
  const dead = new Map<string, number>();
  for (const { deadCause } of history.grants)
    if (deadCause) dead.set(deadCause, (dead.get(deadCause) ?? 0) + 1);
  return [
    ['grants', history.grants.length],
    ['refreshes that the new API carried out', refreshes.filter(({ status }) => status === 200).length],
    ...named.map(([action, words]): [string, number] => [
      words,
      history.events.filter((event) => event.action === action).length,
    ]),
    ['pairs spilled', history.notes.filter(({ what }) => what === 'spilled').length],
    ['spilled pairs taken back', history.notes.filter(({ what }) => what === 'taken-back').length],
    ...[...dead].map(([cause, count]): [string, number] => [`ended: ${cause}`, count]),
    ['presented again under the rule', counts.underRule],
    ['presented again after proof', counts.afterProof],
    ['presented again WITHOUT either', counts.outside],
  ];
}

const inMegabytes = (bytes: number) => Math.round(bytes / MEGABYTE);

const change = ({ warm, end }: Trend['held']) => `${warm} -> ${end}`;

const changeOfMemory = ({ warm, end }: Trend['held']) =>
  `${change({ warm: inMegabytes(warm), end: inMegabytes(end) })} MB`;

function trendLine({ machine, pid, lived, held, rss, files, resources }: Trend): string {
  const memory = `held ${changeOfMemory(held)}, resident ${changeOfMemory(rss)}`;
  const handles = `files ${change(files)}, resources ${change(resources)}`;
  return `  machine ${machine}, process ${pid}, ${Math.round(lived / 60_000)} minutes: ${memory}, ${handles}`;
}

const most = (samples: readonly Vitals[], name: 'gap' | 'late' | 'rss' | 'held'): number =>
  samples.reduce((greatest, one) => Math.max(greatest, one[name]), 0);

function vitalsLines({ vitals, trends }: Judged): string[] {
  const { samples } = vitals;
  return [
    `processes: ${new Set(samples.map(({ pid }) => pid)).size}, looked at ${samples.length} times`,
    `  held ${inMegabytes(most(samples, 'held'))} MB and resident ${inMegabytes(most(samples, 'rss'))} MB at most`,
    `  event loop held for ${Math.round(most(samples, 'gap'))} ms at most, 99th percentile ${Math.round(most(samples, 'late'))} ms at most; that of the soak itself for ${Math.round(vitals.ownGap())} ms`,
    ...(trends.length === 0
      ? ['  too short a run to judge whether memory grows']
      : [
          'after the warm-up -> at the end, medians of the second and the last quarter of a life',
          ...trends.map(trendLine),
        ]),
  ];
}

function choreCounts(
  run: SoakRun,
  { chores: { mails, people, rotation, isBackedUp } }: Judged,
): Array<[string, number | string]> {
  const kept = [...(rotation?.kept ?? [])].map(([purpose, why]) => `${purpose} (${why})`);
  return [
    ['tokens imported', people?.rows ?? 0],
    ['people to be told, mails that came', `${people?.addresses.length ?? 0}, ${mails.arrivals.length}`],
    ['mails that came again under their id', mails.repeats.length],
    ['old key dropped', rotation?.isDropped ? 'yes' : `no: ${kept.join('; ')}`],
    ['backup made, restored and verified', isBackedUp ? 'yes' : 'no'],
    ...countsOf(run, 'commands ').map(([name, count]): [string, number] => [`commands ${name}`, count]),
  ];
}

function logCounts({ ground }: SoakRun): Array<[string, number]> {
  const sums = new Map<string, number>();
  for (const { log } of ground.machines)
    for (const [name, count] of log.counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums].toSorted(([, one], [, other]) => other - one);
}

/** Figures, then what was wrong. */
export function pageOf(run: SoakRun, judged: Judged): string {
  const { options, ledger, ground } = run;
  const { sabotage } = options;
  const took = Math.round((Date.now() - run.beganAt) / 1000);
  return [
    `seed ${options.seed}, ${options.database}, ${options.minutes} minutes, ${took} s with the way to rest${sabotage === 'none' ? '' : `, sabotaged: ${sabotage}`}`,
    ...lines('calls and their answers', countsOf(run, 'call: ')),
    ...lines('others', countsOf(run, 'other: ')),
    ...lines('faults', countsOf(run, 'fault: ')),
    ...lines('connections that met a fault', ground.proxy.met),
    ...lines('strikes', countsOf(run, 'strike: ')),
    ...lines('grants', grantCounts(judged)),
    ...lines('work beside', choreCounts(run, judged)),
    ...vitalsLines(judged),
    ...lines('warnings and errors in the logs', logCounts(run)),
    `the soak itself used ${Math.round(process.cpuUsage().user / 1e6)} s of the processor`,
    `${ledger.violations.length} violations`,
    ...ledger.violations.map(({ invariant, text }) => `  ${invariant}: ${text}`),
  ].join('\n');
}
