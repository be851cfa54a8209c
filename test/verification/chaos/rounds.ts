import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from '../../processes/running-program.ts';
import { openOwnContext } from '../shared/own-context.ts';
import { type Chance, chanceOf } from '../shared/faults/chance.ts';
import type { Line } from './balancer.ts';
import { readPending } from './callers/calls.ts';
import { judgeCalls } from './judge/judge-calls.ts';
import { judgeGrants } from './judge/judge-grants.ts';
import { connectApp, isFree } from './callers/people.ts';
import type { Round } from './plan.ts';
import { type RoundResult, type Standing, UNKNOWN_TOKEN } from './record.ts';
import type { ChaosApp, ChaosRun } from './run.ts';
import { strike } from './strikes.ts';
import { type ChaosVitals, lookAtVitals, processesOf } from './judge/vitals.ts';

/** One round: a strike, then everybody is served again, then the checker. */

const SERVED_WITHIN_MS = 150_000;
const LOOK_EVERY_MS = 250;
/** The balancer writes its line when the caller has its answer already. */
const LOGGED_WITHIN_MS = 150;

const isOver = (run: ChaosRun) => run.record.troubles.every(({ until }) => until < Number.POSITIVE_INFINITY);

/** Whether an app has not to be waited for: a grant in doubt rests for longer than a round, and the end of the chaos waits for it. */
function mayGoOn(run: ChaosRun, standing: Standing): boolean {
  return isOver(run) || (standing.presentedAt !== undefined && !standing.isHeldBack);
}

/** Until a token of the app is served; after a strike that takes nothing away the first call has to be. */
async function untilServed(run: ChaosRun, chance: Chance, app: ChaosApp): Promise<void> {
  for (const until = Date.now() + SERVED_WITHIN_MS; ; await delay(LOOK_EVERY_MS)) {
    const answer = await readPending(run, chance, app);
    if (answer?.status === 200) return;
    const standing = await run.database.standingOf(app.clientId);
    if (standing.isDead && isFree(run, app)) await connectApp(run, chance, app);
    if (mayGoOn(run, standing)) return;
    if (Date.now() > until) return run.complain('served', `an app of ${app.clientId} is not served again`);
  }
}

/** One call with a token of each app. */
export async function callAllApps(run: ChaosRun, chance: Chance): Promise<void> {
  await Promise.all(run.apps.map((app) => untilServed(run, chance, app)));
}

function endTroubles({ record }: ChaosRun): void {
  for (const trouble of record.troubles) trouble.until = Math.min(trouble.until, Date.now());
}

/** The chain of the history, by the command of a version that serves. */
export async function verifyHistory(run: ChaosRun): Promise<void> {
  const { settings, folders, machines } = run.topology;
  const folder = folders[machines.some(({ version }) => version === 'newer') ? 'newer' : 'older'];
  const told: { ok?: unknown } = await runCommand(settings, ['history', 'verify'], folder).catch(
    (error: { stdout?: string; message: string }) => ({ ok: false, text: error.stdout ?? error.message }),
  );
  if (told.ok !== true) run.complain('history', JSON.stringify(told).slice(0, 500));
}

function judgeProcesses(run: ChaosRun): void {
  const { machines, folder } = run.topology;
  const own = machines.map((machine) => machine.pid());
  const left = processesOf(folder).filter((pid) => !own.includes(pid));
  if (left.length > 0) run.complain('process', `left over: ${left.join(' ')}`);
  for (const { faults } of machines) for (const fault of faults.splice(0)) run.complain('process', fault);
}

/** From the migration on the chaos looks at grants as a bridge does. */
async function openContextAfter(run: ChaosRun, { kind }: Round): Promise<void> {
  if (kind !== 'migrate') return;
  run.context = (await openOwnContext({ ...run.topology.settings })).context;
}

/** What was recorded since a round began. */
export interface Marks {
  calls: number;
  walks: number;
  received: number;
}

/** A request of the balancer's checks, or of nobody, has no number. */
const isNumbered = ({ call }: Line) => call.startsWith('call-') || call.startsWith('walk-');

/** Judges the calls and walks that ended between two marks. */
export async function judgeBetween(run: ChaosRun, from: Marks, to: Marks) {
  await delay(LOGGED_WITHIN_MS);
  const { record, topology } = run;
  const calls = record.calls.slice(from.calls, to.calls);
  const walks = record.walks.slice(from.walks, to.walks);
  // a walk that began in an earlier round has its first lines there
  const first = Math.min(...[...calls, ...walks].map(({ startedAt }) => startedAt), Number.POSITIVE_INFINITY);
  const lines = topology.balancer.lines.filter((line) => isNumbered(line) && line.endedAt >= first - 1000);
  const guesses = record.calls.filter(({ what }) => what === UNKNOWN_TOKEN);
  const counts = judgeCalls({ ...record, calls, walks, lines, guesses });
  for (const text of counts.failures) run.complain('call failed', text);
  return { calls, walks, counts };
}

export const marksOf = ({ record, topology }: ChaosRun): Marks => ({
  calls: record.calls.length,
  walks: record.walks.length,
  received: topology.recorder.received.length,
});

interface Played {
  result: RoundResult;
  vitals: ChaosVitals;
  /** Where the next round begins. */
  marks: Marks;
}

const MEGABYTE = 1024 * 1024;

async function resultOf(run: ChaosRun, round: Round, began: { at: number; marks: Marks }): Promise<Played> {
  const marks = marksOf(run);
  const { walks, calls, counts } = await judgeBetween(run, began.marks, marks);
  const grants = await judgeGrants(run, false);
  judgeProcesses(run);
  const vitals = await lookAtVitals(run);
  const received = run.topology.recorder.received.slice(began.marks.received, marks.received);
  const result: RoundResult = {
    ...round,
    seconds: Math.round((Date.now() - began.at) / 100) / 10,
    calls: calls.length,
    pages: walks.length,
    cut: counts.cut,
    again: counts.again,
    starved: counts.starved,
    braked: counts.braked,
    failed: counts.failures.length,
    refreshes: received.filter(({ kind, status }) => kind === 'refresh' && status === 200).length,
    consents: walks.filter(({ what, failure }) => what === 'consent' && failure === undefined).length,
    inDoubt: grants.inDoubt,
    memory: Math.round((vitals.bridges + vitals.balancer + vitals.modern) / MEGABYTE),
    disk: Math.round(vitals.disk / 1024),
  };
  return { result, vitals, marks };
}

/** Plays a round and judges it; `marks` is where the last one ended. */
export async function playRound(run: ChaosRun, round: Round, marks: Marks): Promise<Played> {
  run.round = round.number;
  const at = Date.now();
  const chance = chanceOf(run.options.seed + 3_000_003, round.number);
  await strike(run, round);
  await openContextAfter(run, round);
  await Promise.all([callAllApps(run, chance), verifyHistory(run)]);
  endTroubles(run);
  return resultOf(run, round, { at, marks });
}
