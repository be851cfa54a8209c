import { checkRound, type Violation } from '../../shared/checker/checker.ts';
import type { PresentationCounts } from '../../shared/checker/checker-presentations.ts';
import type { RoundHistory } from '../../shared/checker/history.ts';
import type { Chores } from '../chores/chores.ts';
import { runUntilDone } from '../chores/operator.ts';
import { tellTheRest } from '../chores/reminders.ts';
import { endRotation } from '../chores/rotation.ts';
import { leaksIn } from '../machine-log.ts';
import { readNotes, type Recording, wholeHistory } from '../record.ts';
import type { SoakRun } from '../run.ts';
import type { VitalsWatch } from '../watch/vitals.ts';
import { judgeAnswers } from './answers.ts';
import { judgeImport, judgeKeys, judgeMails } from './chores.ts';
import { judgePosts } from './posts.ts';
import { judgeVitals, type Trend, trendsOf } from './vitals.ts';

/** Everything that is judged when a soak has come to rest. */

export interface Judged {
  history: RoundHistory;
  counts: PresentationCounts;
  chores: Chores;
  vitals: VitalsWatch;
  trends: Trend[];
}

async function judgeChores(
  run: SoakRun,
  { mails, rotation, people, isBackedUp }: Chores,
): Promise<Violation[]> {
  if (rotation) await endRotation(run, rotation);
  if (people) await tellTheRest(run, mails, people);
  const outages = run.ground.machines.flatMap((machine) => machine.outages);
  return [
    ...(rotation ? await judgeKeys(run, rotation) : [{ invariant: 'keys', text: 'no rotation was begun' }]),
    ...(people ? await judgeImport(run, people) : [{ invariant: 'import', text: 'nothing was imported' }]),
    ...(people ? judgeMails(mails, people, outages) : []),
    ...(isBackedUp ? [] : [{ invariant: 'backup', text: 'no backup was made and tried' }]),
  ];
}

async function judgeHistory(run: SoakRun): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const { index, settings } of run.ground.machines) {
    const command = { settings, args: ['history', 'verify'] };
    await runUntilDone(run, command, { tries: 1 }).catch((error: Error) =>
      found.push({ invariant: 'history', text: `at machine ${index}: ${error.message}` }),
    );
  }
  return found;
}

/** I9 for workers, which the checker does not know. */
function judgeWorkers({ ground }: SoakRun): Violation[] {
  return ground.machines.flatMap(({ index, log }) =>
    log
      .unexpectedEnds()
      .map((pid) => ({ invariant: 'I9', text: `worker ${pid} of machine ${index} ended by itself` })),
  );
}

/** No call is accepted that is not answered, and what is held is written down: a last stop in order. */
async function stopAll({ ground }: SoakRun): Promise<void> {
  await Promise.all(ground.machines.map((machine) => machine.stop()));
}

export interface JudgedParts {
  chores: Chores;
  vitals: VitalsWatch;
}

/** Of a run that was long enough. */
function judgeMemory(
  { options }: SoakRun,
  { samples }: VitalsWatch,
): { trends: Trend[]; found: Violation[] } {
  if (options.pace.name === 'short') return { trends: [], found: [] };
  const trends = trendsOf(samples, options.minutes * 60_000);
  const isJudged = trends.length > 0 || options.sabotage !== 'none';
  const nobody = { invariant: 'memory', text: 'no process lived long enough to be judged' };
  return { trends, found: isJudged ? judgeVitals(trends) : [nobody] };
}

/** The work beside the load, and what is left of it when the machines have stopped; a sabotaged soak has none. */
async function judgeBeside(run: SoakRun, chores: Chores): Promise<Violation[]> {
  const { ground, ledger, options, writes } = run;
  if (options.sabotage !== 'none') {
    await stopAll(run);
    return [];
  }
  const found = [...(await judgeChores(run, chores)), ...judgePosts(writes, ground.modernFile, ledger)];
  await stopAll(run);
  return [...found, ...(await judgeHistory(run))];
}

/** Judges, and complains of what is wrong. */
export async function judge(
  run: SoakRun,
  recording: Recording,
  { chores, vitals }: JudgedParts,
): Promise<Judged> {
  const { ground, ledger } = run;
  const beside = await judgeBeside(run, chores);
  readNotes(run, recording);
  const logs = ground.machines.map(({ log }) => log.file);
  const leaks = (await Promise.all(logs.map((file) => leaksIn(file, ground.recorder.secrets)))).flat();
  const history = await wholeHistory(run, recording, leaks);
  const { violations, counts } = checkRound(history);
  const { trends, found } = judgeMemory(run, vitals);
  const answers = judgeAnswers(history, ledger);
  for (const { invariant, text } of [...beside, ...violations, ...answers, ...found, ...judgeWorkers(run)])
    ledger.complain(invariant, text);
  return { history, counts, chores, vitals, trends };
}
