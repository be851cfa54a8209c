import { setTimeout as delay } from 'node:timers/promises';
import type { Machine } from '../machine.ts';
import type { Strike } from './plan.ts';
import type { SoakRun } from '../run.ts';

/** Kills, stops and pauses, one after the other; the next one waits until the last is over. */

async function startAgain(
  machine: Machine,
  { rest, workers }: { rest: number; workers: number },
): Promise<void> {
  await delay(rest);
  await machine.start(workers);
}

function workerOf(machine: Machine, which: 'eldest' | 'youngest'): number[] {
  const servers = machine.servers();
  // one that serves alone is the first process itself
  if (servers.length < 2) return [];
  return servers.slice(...(which === 'eldest' ? [0, 1] : [-1]));
}

async function strikeMachine(machine: Machine, strike: Extract<Strike, { rest: number }>): Promise<void> {
  if (strike.kind === 'stop') await machine.stop();
  else await machine.kill(strike.kind === 'kill-first' ? machine.pids().slice(0, 1) : machine.pids());
  await startAgain(machine, strike);
}

async function bring({ ground }: SoakRun, strike: Strike): Promise<void> {
  if (!('machine' in strike))
    return ground.database.restart(strike.kind === 'crash-database' ? 'SIGQUIT' : 'SIGINT');
  const machine = ground.machines[strike.machine] as Machine;
  switch (strike.kind) {
    case 'kill-worker':
      return machine.kill(workerOf(machine, strike.which));
    case 'pause-worker':
      return machine.pause(machine.servers().slice(-1), strike.ms);
    case 'pause-machine':
      return machine.pause(machine.pids(), strike.ms);
    case 'kill-machine':
    case 'kill-first':
    case 'stop':
      return strikeMachine(machine, strike);
  }
}

async function strikeOnce(run: SoakRun, strike: Strike): Promise<void> {
  const { ledger } = run;
  const trouble = { what: strike.kind, from: Date.now(), until: Number.POSITIVE_INFINITY };
  ledger.troubles.push(trouble);
  ledger.count(`strike: ${strike.kind}`);
  await bring(run, strike);
  trouble.until = Date.now();
}

/** Of the time between two strikes: what callers have between the end of one and the next, however late that one is. */
const REST = 0.25;

/** Plays the strikes of the plan. On a slow machine one that lasted into the time of the next puts that one off. */
export async function strikeAll(run: SoakRun, signal: AbortSignal): Promise<void> {
  const rest = run.options.pace.every.strike * REST;
  let free = 0;
  for (const strike of run.plan.strikes) {
    const at = Math.max(run.beganAt + strike.at, free);
    await delay(Math.max(0, at - Date.now()), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await strikeOnce(run, strike);
    free = Date.now() + rest;
  }
}
