import type { Chance } from '../shared/faults/chance.ts';
import type { Fleet } from './fleet.ts';
import type { Ground } from './ground.ts';
import type { Ledger } from './ledger.ts';
import type { Machine } from './machine.ts';
import type { SoakOptions } from './options.ts';
import type { SoakPlan } from './plan/plan.ts';
import type { WriteBook } from './callers/writes.ts';

/** A soak while it runs. */
export interface SoakRun {
  options: SoakOptions;
  plan: SoakPlan;
  ground: Ground;
  fleet: Fleet;
  ledger: Ledger;
  writes: WriteBook;
  say(text: string): void;
  /** When the load began. */
  beganAt: number;
}

/** The machine that a balancer chooses; where none takes calls, a caller finds that out by itself. */
export function someMachine({ ground: { machines } }: Pick<SoakRun, 'ground'>, chance: Chance): Machine {
  const open = machines.filter((machine) => machine.takesCalls());
  return chance.pick(open.length > 0 ? open : machines);
}

/** What a sabotaged build was caught with is enough: the rest need not come to rest. */
export const isCaught = ({ options, ledger }: SoakRun): boolean =>
  options.sabotage !== 'none' && ledger.violations.length > 0;
