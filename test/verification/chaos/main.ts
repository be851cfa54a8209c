import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { projectRoot } from '../../../src/shared/project-root.ts';
import { makeNextVersion } from '../../processes/upgrade/next-version.ts';
import { carriedBy } from '../shared/carriers.ts';
import { chanceOf } from '../shared/faults/chance.ts';
import { createEnds } from '../shared/ends.ts';
import { createCallers } from './callers/caller.ts';
import { openGrantsDatabase } from './grants-database.ts';
import { startChaosLoad } from './callers/load.ts';
import { type ChaosOptions, readOptions } from './options.ts';
import { connectApp, registerApps } from './callers/people.ts';
import { planOf, type Side } from './plan.ts';
import { type ChaosReport, headerOfTable, lineOfRound, pageOfChaos } from './report.ts';
import { comeToRest } from './rest.ts';
import { type Marks, playRound } from './rounds.ts';
import type { ChaosRun } from './run.ts';
import { buildSabotaged } from './sabotaged-build.ts';
import { watchStarvation } from './starvation.ts';
import { untilBothUp } from './strikes.ts';
import { layTopology } from './topology.ts';
import { judgeChaosVitals, processesOf } from './judge/vitals.ts';

/**
 * The chaos: PostgreSQL, two bridges of two versions behind HAProxy, the new API and the old API as processes. Round by
 * round something is killed, stopped, upgraded, downgraded or away while callers go on.
 */

const say = (text: string): void => void process.stdout.write(`${text}\n`);

type Ends = ReturnType<typeof createEnds>;

/** Of a sabotaged build both bridges run: two that are wrong in one way meet sooner. */
function prepareVersions({ older, sabotage }: ChaosOptions, ends: Ends): Record<Side, string> {
  if (sabotage !== 'none') {
    const newer = buildSabotaged(sabotage);
    ends.add(() => rmSync(newer, { recursive: true, force: true }));
    return { older: newer, newer };
  }
  if (older !== undefined) return { older, newer: projectRoot };
  const next = makeNextVersion();
  ends.add(() => next.remove());
  return { older: projectRoot, newer: next.folder };
}

/** The bridge stores a token of the old API behind the answer. */
const INTRODUCED_WITHIN_MS = 500;

/** More of one kind would say nothing new. */
const SAID_AT_MOST = 30;

async function prepare(options: ChaosOptions, ends: Ends): Promise<ChaosRun> {
  const topology = await layTopology(prepareVersions(options, ends));
  ends.add(() => topology.close());
  const database = openGrantsDatabase(topology.postgres.url);
  ends.add(() => database.close());
  await Promise.all(topology.machines.map((machine) => machine.start('older')));
  const callers = createCallers(topology.balancer);
  ends.add(() => callers.close());
  const violations: ChaosRun['record']['violations'] = [];
  const run: ChaosRun = {
    options,
    plan: planOf(options.seed, options.rounds, options.only),
    topology,
    database,
    context: undefined,
    apps: await registerApps(topology),
    callers,
    record: {
      calls: [],
      walks: [],
      cuts: topology.cuts,
      troubles: [],
      starved: [],
      unnoticed: [],
      violations,
    },
    round: 0,
    say,
    complain(rule, text) {
      if (violations.some((one) => one.text === text)) return;
      violations.push({ round: run.round, rule, text });
      if (violations.length <= SAID_AT_MOST) say(`  ${rule}: ${text}`);
    },
  };
  ends.add(watchStarvation(topology, run.record.starved));
  await untilBothUp(run);
  for (const token of topology.oldTokens) await introduceOldToken(run, token);
  for (const app of run.apps)
    if (!(await connectApp(run, chanceOf(options.seed, 1), app)))
      throw new Error('an app could not be connected while nothing was wrong');
  return run;
}

/** Each is called once, so that the older version knows it. */
async function introduceOldToken({ callers }: ChaosRun, token: string): Promise<void> {
  const answer = await callers.programs[0]?.send('', carriedBy('header', '/1/user.json', token));
  if (answer?.status !== 200) throw new Error(`a token of the old API got ${answer?.status}`);
  await delay(INTRODUCED_WITHIN_MS);
}

/** After so many violations the rest would say nothing new; a sabotaged build is caught by one. */
const ENOUGH = 40;

const emptyReport = ({ record }: ChaosRun): ChaosReport => ({
  rounds: [],
  vitals: [],
  violations: record.violations,
  tokens: 0,
  presentations: 0,
  presentedAgain: 0,
  dead: 0,
});

async function play(run: ChaosRun): Promise<ChaosReport> {
  const report = emptyReport(run);
  const load = startChaosLoad(run);
  const until = Date.now() + run.options.minutes * 60_000;
  const isEnough = () => report.violations.length >= (run.options.sabotage === 'none' ? ENOUGH : 1);
  let from: Marks = { calls: 0, walks: 0, received: 0 };
  say(headerOfTable());
  for (const round of run.plan) {
    if (isEnough() || Date.now() > until) break;
    const { result, vitals, marks } = await playRound(run, round, from);
    from = marks;
    report.rounds.push(result);
    report.vitals.push(vitals);
    say(lineOfRound(result));
  }
  await load.stop();
  if (!isEnough()) await comeToRest(run, report, from);
  for (const text of judgeChaosVitals(report.vitals)) run.complain('memory and disk', text);
  return report;
}

/** Killed processes may take a moment to be gone. */
const GONE_WITHIN_MS = 2000;

async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const ends = createEnds();
  let run: ChaosRun | undefined;
  try {
    run = await prepare(options, ends);
    return await play(run);
  } finally {
    await ends.run();
    await delay(GONE_WITHIN_MS);
    const left = run === undefined ? [] : processesOf(run.topology.folder);
    if (left.length > 0) run?.complain('process', `left over in the end: ${left.join(' ')}`);
  }
}

/** Runs the chaos of a command line; answers whether nothing was wrong. */
export async function runChaos(args: readonly string[]): Promise<boolean> {
  const options = readOptions(args);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  say(`chaos: seed ${options.seed}, ${options.rounds} rounds, ${options.rate} calls a second`);
  const report = await chaos(options);
  say(pageOfChaos(report));
  if (options.json !== undefined)
    writeFileSync(options.json, JSON.stringify({ options, ...report }, undefined, 1), { mode: 0o600 });
  return report.violations.length === 0;
}
