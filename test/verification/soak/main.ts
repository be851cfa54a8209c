import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Chance, chanceOf } from '../shared/faults/chance.ts';
import { connectApp } from './callers/consents.ts';
import { openWriteBook } from './callers/writes.ts';
import { startChores } from './chores/chores.ts';
import { registerFleet, type SoakApp } from './fleet.ts';
import { type Ground, startGround } from './ground.ts';
import { judge, type Judged } from './judge/judge.ts';
import { openLedger } from './ledger.ts';
import { startLoad } from './load.ts';
import { readOptions, type SoakOptions } from './options.ts';
import { planOf } from './plan/plan.ts';
import { newRecording, type Recording } from './record.ts';
import { pageOf } from './report.ts';
import { isCaught, type SoakRun } from './run.ts';
import { calmAll, callRoll, settleAll } from './settle.ts';
import { noteStood, watchStalls } from './watch/stalls.ts';
import { strikeAll } from './plan/strikes.ts';
import { watchVitals } from './watch/vitals.ts';
import { watchRun } from './watch/watch.ts';
import { bringFaults, clearWeather } from './plan/weather.ts';

/**
 * The soak: load, faults, kills, a rotation of keys, an import, a backup and reminders together, on real processes, and
 * in the end the checker of the crash campaign over everything that was recorded.
 */

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function prepare(options: SoakOptions, ground: Ground): Promise<SoakRun> {
  const fleet = await registerFleet(ground, options.pace.apps);
  const run: SoakRun = {
    options,
    plan: planOf(options),
    ground,
    fleet,
    ledger: openLedger(say),
    writes: openWriteBook(),
    say,
    beganAt: Date.now(),
  };
  const chance = chanceOf(options.seed, 10);
  for (const app of [...fleet.apps, fleet.hostile]) await connectSurely(run, chance, app);
  run.beganAt = Date.now();
  return run;
}

const CONNECTED_WITHIN = 5;

/** While nothing is wrong; on a machine that is too busy a consent may need longer than it may take, and is given again. */
async function connectSurely(run: SoakRun, chance: Chance, app: SoakApp): Promise<void> {
  for (let n = 0; n < CONNECTED_WITHIN; n += 1) if (await connectApp(run, chance, app)) return;
  throw new Error('an app could not be connected while nothing was wrong');
}

/** Everything at once, until its time is over; then to rest, one after the other. */
async function play(run: SoakRun, recording: Recording): Promise<Judged> {
  const ended = new AbortController();
  const vitals = watchVitals(run);
  const stalls = watchStalls(run.ground);
  const chores = startChores(run, run.options.sabotage === 'none' ? ended.signal : AbortSignal.abort());
  const load = startLoad(run);
  const blows = [strikeAll(run, ended.signal), bringFaults(run, ended.signal)];
  await Promise.race([
    watchRun(run, recording, vitals),
    Promise.all(blows).then(() => new Promise<never>(() => undefined)),
  ]);
  ended.abort();
  await Promise.all(blows);
  clearWeather(run);
  run.say('the load ends, everything comes to rest');
  await load.stop();
  await chores.done;
  for (const step of [settleAll, callRoll, calmAll]) if (!isCaught(run)) await step(run, recording);
  await Promise.all([vitals.stop(), stalls.stop()]);
  noteStood(run, stalls);
  return judge(run, recording, { chores, vitals });
}

/** All that was seen of a soak in which something was wrong; it holds digests only. */
function keepEvidence({ ground, plan, options }: SoakRun, { history }: Judged): void {
  const file = join(ground.folder, 'history.json');
  writeFileSync(file, JSON.stringify({ options, plan, history }), { mode: 0o600 });
  say(`  history: ${file}`);
  for (const { log } of ground.machines) say(`  log: ${log.file}`);
}

function reproduction({ minutes, seed, database, rate, rows, pace, sabotage }: SoakOptions): string {
  const wrong = sabotage === 'none' ? '' : ` --sabotage ${sabotage}`;
  return `npm run soak -- --minutes ${minutes} --seed ${seed} --database ${database} --rate ${rate} --rows ${rows} --limits ${pace.name}${wrong}`;
}

async function soak(options: SoakOptions, ground: Ground): Promise<boolean> {
  const run = await prepare(options, ground);
  say(`${options.pace.apps} apps are connected, the load begins`);
  const judged = await play(run, newRecording());
  say(pageOf(run, judged));
  const { violations } = run.ledger;
  if (violations.length === 0) return true;
  say(`  again: ${reproduction(options)}`);
  keepEvidence(run, judged);
  return false;
}

/** Runs the soak of a command line; answers whether nothing was wrong. */
export async function runSoak(args: readonly string[]): Promise<boolean> {
  const options = readOptions(args);
  say(
    `soak: seed ${options.seed}, ${options.database}, ${options.minutes} minutes, ${options.pace.name} limits`,
  );
  const ground = await startGround(options);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  let isClean = false;
  try {
    isClean = await soak(options, ground);
  } finally {
    await ground.close();
    if (isClean) rmSync(ground.folder, { recursive: true, force: true });
  }
  return isClean;
}
