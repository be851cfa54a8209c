import { setTimeout as delay } from 'node:timers/promises';
import { type Chance, chanceOf } from '../../shared/faults/chance.ts';
import { exchangeUnknown, guessTokens, readCached, readOldApi, readPending, readUnknown } from './calls.ts';
import { connectSome, visitPage } from './people.ts';
import type { ChaosRun } from '../run.ts';

/** Constant load: old calls evenly in time whatever they take, consents, pages and guesses beside them. */

type CallerKind = (run: ChaosRun, chance: Chance) => Promise<unknown>;

/** In hundred calls. */
const SHARES: ReadonlyArray<[number, CallerKind]> = [
  [45, readCached],
  [25, (run, chance) => readPending(run, chance, chance.pick(run.apps))],
  [15, readOldApi],
  [8, readUnknown],
  [7, exchangeUnknown],
];

const BAG = SHARES.flatMap(([count, kind]) => Array.from({ length: count }, () => kind));

const TURN_MS = 40;
const BURST_EVERY_MS = 1500;
const BURST = 6;
const CONSENT_EVERY_MS = 2500;
const PAGE_EVERY_MS = 900;
/** More than the bridges ask about for one address, also where each answer takes a second. */
const GUESS_EVERY_MS = 650;
/** More calls under way are a jam in which no other would tell more. */
const MOST_AT_ONCE = 60;

/** An old program with many workers: at the end of an access token all of them find out at once. */
async function readInBurst(run: ChaosRun, chance: Chance): Promise<void> {
  const app = chance.pick(run.apps);
  await Promise.all(Array.from({ length: BURST }, () => readPending(run, chance, app)));
}

export interface ChaosLoad {
  /** Resolves when the last call has ended. */
  stop(): Promise<void>;
}

async function callEvenly(run: ChaosRun, isStopped: () => boolean): Promise<void> {
  const { seed, rate } = run.options;
  const running = new Set<Promise<unknown>>();
  const began = performance.now();
  for (let calls = 0; !isStopped(); await delay(TURN_MS))
    for (const wanted = ((performance.now() - began) / 1000) * rate; calls < wanted; calls += 1) {
      if (running.size >= MOST_AT_ONCE) continue;
      const chance = chanceOf(seed + 1_000_003, calls);
      const call = guarded(run, chance.pick(BAG)(run, chance)).finally(() => running.delete(call));
      running.add(call);
    }
  await Promise.all(running);
}

/** What goes wrong in a caller itself is a fault of the chaos. */
async function guarded(run: ChaosRun, work: Promise<unknown>): Promise<void> {
  await work.catch((error: Error) =>
    run.complain('chaos', `a caller failed: ${error.stack ?? error.message}`),
  );
}

async function repeat(
  run: ChaosRun,
  every: number,
  kind: CallerKind,
  isStopped: () => boolean,
): Promise<void> {
  const chance = chanceOf(run.options.seed + 2_000_003, every);
  while (!isStopped()) {
    await delay(chance.between(every / 2, (every * 3) / 2));
    if (!isStopped()) await guarded(run, kind(run, chance));
  }
}

/** Begins to call. */
export function startChaosLoad(run: ChaosRun): ChaosLoad {
  let stopped = false;
  const isStopped = () => stopped;
  const flows = [
    callEvenly(run, isStopped),
    repeat(run, BURST_EVERY_MS, readInBurst, isStopped),
    repeat(run, CONSENT_EVERY_MS, connectSome, isStopped),
    repeat(run, PAGE_EVERY_MS, visitPage, isStopped),
    repeat(run, GUESS_EVERY_MS, guessTokens, isStopped),
  ];
  return {
    async stop() {
      stopped = true;
      await Promise.all(flows);
    },
  };
}
