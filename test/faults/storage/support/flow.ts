import type { RawAnswer } from '../../../support/callers/raw-request.ts';
import type { FaultMoment, StatementFaults } from './statement-faults.ts';

/** A flow whose every statement meets a fault once before and once after its effect. */

/** `done`: as without a fault. `unavailable`: its caller is told to come again. Everything else is wrong. */
export interface FlowEnd {
  kind: 'done' | 'unavailable' | 'wrong';
  /** What its caller was told, for the people who look into it. */
  said: string;
}

export interface Flow {
  name: string;
  /** Brings about what the flow begins with. */
  prepare(): Promise<void>;
  run(): Promise<FlowEnd>;
  /** The same once more after the fault is over: `done` where nothing was lost. Gets how the run ended. */
  again(before: FlowEnd): Promise<FlowEnd>;
}

const words = ({ status, text }: RawAnswer) => `${status} ${text.slice(0, 160)}`;

/** An answer to an old call. A refusal must say when to come again. */
export function endOf(answer: RawAnswer, done: readonly number[] = [200]): FlowEnd {
  const said = words(answer);
  if (done.includes(answer.status)) return { kind: 'done', said };
  const isUnavailable = answer.status === 503 && Number(answer.headers['retry-after']) > 0;
  return { kind: isUnavailable ? 'unavailable' : 'wrong', said };
}

export const wrong = (said: string): FlowEnd => ({ kind: 'wrong', said });

interface Ground {
  faults: StatementFaults;
  /** Waits until the bridge has settled what the fault left, as time would. */
  settle(): Promise<void>;
  /** What is lost or was done twice, in words. */
  findHarm(): Promise<string[]>;
}

export interface FlowReport {
  statements: number;
  faults: number;
  /** How often callers were answered as without a fault. */
  unharmed: number;
  seconds: number;
  violations: string[];
}

export interface FaultPlace {
  at: number;
  moment: FaultMoment;
  statement: string;
}

async function meetFault(ground: Ground, flow: Flow, place: Pick<FaultPlace, 'at' | 'moment'>) {
  await flow.prepare();
  await ground.settle();
  const { end, hit } = await ground.faults.run(() => flow.run(), place);
  await ground.settle();
  const again = await flow.again(end);
  const harm = [
    ...(end.kind === 'wrong' ? [`its caller got ${end.said}`] : []),
    ...(again.kind === 'done' ? [] : [`after ${end.kind} the next try got ${again.said}`]),
    ...(await ground.findHarm()),
  ];
  const where = `${flow.name}, fault ${place.moment} statement ${place.at} (${hit?.replaceAll(/\s+/g, ' ').slice(0, 100)})`;
  return { isUnharmed: end.kind === 'done', violations: harm.map((text) => `${where}: ${text}`) };
}

/** Runs a flow without a fault, and then once for every statement and moment that `isChosen`. */
export async function meetEveryFault(
  ground: Ground,
  flow: Flow,
  isChosen: (place: FaultPlace) => boolean = () => true,
): Promise<FlowReport> {
  const begun = performance.now();
  await flow.prepare();
  await ground.settle();
  const { end, statements } = await ground.faults.run(() => flow.run());
  if (end.kind !== 'done') throw new Error(`${flow.name} without a fault: ${end.said}`);
  await ground.settle();
  await flow.again(end);
  const report: FlowReport = {
    statements: statements.length,
    faults: 0,
    unharmed: 0,
    seconds: 0,
    violations: [],
  };
  for (let at = 1; at <= statements.length; at += 1)
    for (const moment of ['before', 'after'] as const) {
      if (!isChosen({ at, moment, statement: statements[at - 1] ?? '' })) continue;
      const { isUnharmed, violations } = await meetFault(ground, flow, { at, moment });
      report.faults += 1;
      report.unharmed += isUnharmed ? 1 : 0;
      report.violations.push(...violations);
    }
  report.seconds = Math.round((performance.now() - begun) / 1000);
  return report;
}
