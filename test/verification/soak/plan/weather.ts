import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from './plan.ts';
import type { SoakRun } from '../run.ts';

/** What goes wrong at the new API and on the way to it. */

const BEGINNINGS = { refreshes: 'POST /token ', 'main API': 'POST / ' } as const;

/** How long after a fault its effects may be seen by callers. */
const AFTERWARDS_MS = 30_000;

function nameOf(fault: Fault): string {
  switch (fault.kind) {
    case 'network':
      return `${fault.fault.kind}, ${fault.of}`;
    case 'refresh answer':
      return `${fault.answer}, refreshes`;
    case 'main answer':
      return `${fault.fault}, answers of the main API`;
    case 'hole':
      return 'black hole, all';
  }
}

async function bring({ ground }: SoakRun, fault: Fault): Promise<void> {
  const { proxy, recorder } = ground;
  switch (fault.kind) {
    case 'network':
      return proxy.inject({ fault: fault.fault, times: fault.times, beginning: BEGINNINGS[fault.of] });
    case 'refresh answer':
      recorder.hostile = { answer: fault.answer, times: fault.times };
      return undefined;
    case 'main answer':
      recorder.mainFault = { fault: fault.fault, times: fault.times };
      return undefined;
    case 'hole':
      proxy.swallow();
      await delay(fault.ms);
      return proxy.mend();
  }
}

/** Nothing stands ready for the next calls any more, neither a fault that no call met nor the rest of one. */
function withdraw({ ground: { proxy, recorder } }: SoakRun): void {
  proxy.clear();
  recorder.hostile = undefined;
  recorder.mainFault = undefined;
}

/**
 * Brings the faults of the plan, each at its time, and withdraws each after a while. Refreshing stops after lost answers,
 * and tries again seldom. If a fault stood ready for every such try, refreshing would never go on.
 */
export async function bringFaults(run: SoakRun, signal: AbortSignal): Promise<void> {
  for (const fault of run.plan.faults) {
    await delay(Math.max(0, run.beganAt + fault.at - Date.now()), undefined, { signal }).catch(
      () => undefined,
    );
    if (signal.aborted) return;
    const trouble = { what: nameOf(fault), from: Date.now(), until: Number.POSITIVE_INFINITY };
    run.ledger.troubles.push(trouble);
    run.ledger.count(`fault: ${trouble.what}`);
    await bring(run, fault);
    await delay(run.options.pace.faultStands, undefined, { signal }).catch(() => undefined);
    withdraw(run);
    trouble.until = Date.now() + AFTERWARDS_MS;
  }
}

/** Nothing is wrong any more. */
export function clearWeather(run: SoakRun): void {
  run.ground.proxy.mend();
  withdraw(run);
}
