import { setTimeout as delay } from 'node:timers/promises';
import { chanceOf } from '../shared/faults/chance.ts';
import { callAllApps, judgeBetween, type Marks, marksOf, verifyHistory } from './rounds.ts';
import { readPending } from './callers/calls.ts';
import { judgeGrants } from './judge/judge-grants.ts';
import type { ChaosReport } from './report.ts';
import type { ChaosRun } from './run.ts';

/** The end of a chaos: nothing is wrong any more, every doubt is settled, and every token answers. */

/** A claim that nobody ends, the quiet time, and a breaker that rests once more. */
const SETTLED_WITHIN_MS = 240_000;
const LOOK_EVERY_MS = 500;

async function untilSettled(run: ChaosRun): Promise<void> {
  const chance = chanceOf(run.options.seed, 4);
  for (const until = Date.now() + SETTLED_WITHIN_MS; ; await delay(LOOK_EVERY_MS)) {
    if ((await run.database.openGrants()) === 0) return;
    if (Date.now() > until) return run.complain('served', 'grants are still in doubt at rest');
    await callAllApps(run, chance);
  }
}

/** Every token that was ever given. */
async function callEveryToken(run: ChaosRun): Promise<number> {
  const chance = chanceOf(run.options.seed, 5);
  let answered = 0;
  for (const app of run.apps)
    for (const [n, token] of app.tokens.entries()) {
      const answer = await readPending(run, chance, app, token);
      if (answer?.status === 200) answered += 1;
      else run.complain('token lost', `token ${n} of ${app.clientId} got ${answer?.status} at rest`);
    }
  return answered;
}

async function stopAll(run: ChaosRun): Promise<void> {
  for (const machine of run.topology.machines) {
    await machine.stop();
    for (const fault of machine.faults.splice(0)) run.complain('process', fault);
  }
}

/** Brings everything to rest and judges the whole. */
export async function comeToRest(run: ChaosRun, report: ChaosReport, from: Marks): Promise<void> {
  const { topology } = run;
  await untilSettled(run);
  await callAllApps(run, chanceOf(run.options.seed, 6));
  report.tokens = await callEveryToken(run);
  await judgeBetween(run, from, marksOf(run));
  const { underRule, outside, dead } = await judgeGrants(run, true);
  Object.assign(report, { presentations: topology.presentations.length, dead });
  report.presentedAgain = underRule + outside;
  await stopAll(run);
  await verifyHistory(run);
}
