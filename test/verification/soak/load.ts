import { setTimeout as delay } from 'node:timers/promises';
import { type Chance, chanceOf } from '../shared/faults/chance.ts';
import { connectSome, deauthorizeSome, exchangeUnknown } from './callers/consents.ts';
import { sendHostile } from './callers/hostile.ts';
import { readCached, readEnded, readRefused, readUncached } from './callers/reads.ts';
import { createPost, destroyPost } from './callers/writes.ts';
import type { SoakRun } from './run.ts';

/** Old calls of every kind, evenly in time whatever they take. */

type Caller = (run: SoakRun, chance: Chance) => Promise<void>;

/** In hundred calls. */
const KINDS: ReadonlyArray<[number, Caller]> = [
  [46, readCached],
  [24, readUncached],
  [4, readEnded],
  [9, readRefused],
  [4, exchangeUnknown],
  [6, sendHostile],
  [5, createPost],
  [2, destroyPost],
];

const BAG: readonly Caller[] = KINDS.flatMap(([count, caller]) =>
  Array.from({ length: count }, () => caller),
);

const TURN_MS = 50;

export interface Load {
  /** Resolves when the last call has ended. */
  stop(): Promise<void>;
}

/** What goes wrong in a caller itself is a fault of the soak. */
async function guarded(run: SoakRun, work: Promise<void>): Promise<void> {
  await work.catch((error: Error) =>
    run.ledger.complain('soak', `a caller failed: ${error.stack ?? error.message}`),
  );
}

type IsStopped = () => boolean;

async function callEvenly(run: SoakRun, isStopped: IsStopped): Promise<void> {
  const { seed, rate, pace } = run.options;
  const running = new Set<Promise<void>>();
  const began = performance.now();
  const begin = (number: number) => {
    const chance = chanceOf(seed + 3_000_003, number);
    const call = guarded(run, chance.pick(BAG)(run, chance)).finally(() => running.delete(call));
    running.add(call);
  };
  for (let calls = 0; !isStopped(); await delay(TURN_MS))
    for (const wanted = ((performance.now() - began) / 1000) * rate; calls < wanted; calls += 1) {
      if (running.size < pace.mostAtOnce) begin(calls);
      else run.ledger.count('other: calls held back');
    }
  await Promise.all(running);
}

interface Flow {
  /** About so many milliseconds between its turns. */
  every: number;
  number: number;
  caller: Caller;
}

async function repeat(run: SoakRun, { every, number, caller }: Flow, isStopped: IsStopped): Promise<void> {
  const chance = chanceOf(run.options.seed + 4_000_003, number);
  while (!isStopped()) {
    await delay(chance.between(every / 2, (every * 3) / 2));
    if (!isStopped()) await guarded(run, caller(run, chance));
  }
}

/** Begins to call. */
export function startLoad(run: SoakRun): Load {
  let stopped = false;
  const isStopped = () => stopped;
  const { every } = run.options.pace;
  const flows = [
    callEvenly(run, isStopped),
    repeat(run, { every: every.consent, number: 1, caller: connectSome }, isStopped),
    repeat(run, { every: every.deauthorize, number: 2, caller: deauthorizeSome }, isStopped),
  ];
  return {
    async stop() {
      stopped = true;
      await Promise.all(flows);
    },
  };
}
