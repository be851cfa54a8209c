import { setTimeout as delay } from 'node:timers/promises';
import type { Recording } from '../record.ts';
import { lookMeanwhile } from '../record.ts';
import type { SoakRun } from '../run.ts';
import type { VitalsWatch } from './vitals.ts';

/** Looks at a soak while it runs: says how far it is each minute, and ends it where more would say nothing new. */

const LOOK_EVERY_MS = 2000;
const MINUTE_MS = 60_000;

/** After so many violations the rest would say nothing new. */
const ENOUGH = 10;

function sumOf(run: SoakRun, beginning: string): number {
  const own = [...run.ledger.counts].filter(([name]) => name.startsWith(beginning));
  return own.reduce((sum, [, count]) => sum + count, 0);
}

function progressOf(run: SoakRun, { samples }: VitalsWatch): string {
  const { ground, ledger } = run;
  const refreshes = ground.recorder.received.filter(
    ({ kind, status }) => kind === 'refresh' && status === 200,
  );
  const live = run.fleet.apps.reduce((sum, { live: tokens }) => sum + tokens.length, 0);
  const last = ground.machines.map((machine) => {
    const own = machine.servers().flatMap((pid) => samples.findLast((one) => one.pid === pid) ?? []);
    return `machine ${machine.index} ${own.map(({ held }) => Math.round(held / 1024 / 1024)).join('+') || '?'} MB`;
  });
  return [
    `minute ${Math.round((Date.now() - run.beganAt) / MINUTE_MS)}`,
    `${sumOf(run, 'call: ')} calls`,
    `${refreshes.length} refreshes`,
    `${live} tokens`,
    `${sumOf(run, 'strike: ')} strikes`,
    `${sumOf(run, 'fault: ')} faults`,
    ...last,
    `${ledger.violations.length} violations`,
  ].join(', ');
}

const isEnough = ({ ledger, options }: SoakRun): boolean =>
  ledger.violations.length >= (options.sabotage === 'none' ? ENOUGH : 1);

/** Looks until the time of the load is over, or enough is wrong. */
export async function watchRun(run: SoakRun, recording: Recording, vitals: VitalsWatch): Promise<void> {
  const until = run.beganAt + run.options.minutes * MINUTE_MS;
  let next = run.beganAt + MINUTE_MS;
  while (Date.now() < until && !isEnough(run)) {
    await delay(Math.max(0, Math.min(LOOK_EVERY_MS, until - Date.now())));
    const found = await lookMeanwhile(run, recording);
    for (const { invariant, text } of found) run.ledger.complain(invariant, text);
    if (Date.now() < next) continue;
    run.say(progressOf(run, vitals));
    next += MINUTE_MS;
  }
}
