import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { followFile } from '../../shared/follow-file.ts';
import type { Machine } from '../machine.ts';
import type { SoakRun } from '../run.ts';

/** What the processes of all machines hold, again and again. */

/** One look at one process. */
export interface Vitals {
  at: number;
  machine: number;
  pid: number;
  /** Milliseconds since its start. */
  age: number;
  /** Bytes of objects, and of buffers beside them, that are held after a collection. */
  held: number;
  /** Bytes that the process has of the machine. */
  rss: number;
  /** Open file descriptors, and whatever else keeps an event loop. */
  files: number;
  resources: number;
  /** How long the event loop was held at most since the last look, and at the 99th percentile; milliseconds. */
  gap: number;
  late: number;
}

export interface VitalsWatch {
  samples: Vitals[];
  /** The longest gap of this process, which shares the machine and does little. */
  ownGap(): number;
  stop(): Promise<void>;
}

/** A process that is younger may not know the signal yet, and would end by it. */
const KNOWS_THE_SIGNAL_AFTER_MS = 5000;

function filesOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** The state of a process that is stopped says T, and one that is gone says nothing. */
function isRunning(pid: number): boolean {
  const file = `/proc/${pid}/status`;
  return existsSync(file) && !/^State:\s+[TZ]/m.test(readFileSync(file, 'utf8'));
}

function createAsking(machine: Machine) {
  const firstSeen = new Map<number, number>();
  const files = new Map<number, number>();
  const told = followFile(join(machine.settings['VAR_DIR'] ?? '', 'vitals.ndjson'));
  return {
    ask(): void {
      const now = Date.now();
      for (const pid of machine.pids()) {
        const since = firstSeen.get(pid) ?? now;
        firstSeen.set(pid, since);
        if (now - since < KNOWS_THE_SIGNAL_AFTER_MS || !isRunning(pid)) continue;
        files.set(pid, filesOf(pid));
        process.kill(pid, 'SIGUSR2');
      }
    },
    answers: (): Vitals[] =>
      told().map((line) => {
        const one = JSON.parse(line) as Omit<Vitals, 'machine' | 'files'>;
        return { ...one, machine: machine.index, files: files.get(one.pid) ?? 0 };
      }),
  };
}

/** Looks until it is stopped. */
export function watchVitals({ ground, options }: Pick<SoakRun, 'ground' | 'options'>): VitalsWatch {
  const asking = ground.machines.map(createAsking);
  const own = monitorEventLoopDelay({ resolution: 10 });
  own.enable();
  const stopped = new AbortController();
  const look = () => watch.samples.push(...asking.flatMap((one) => one.answers()));
  const looking = async () => {
    while (!stopped.signal.aborted) {
      for (const one of asking) one.ask();
      await delay(options.pace.every.sample, undefined, { signal: stopped.signal }).catch(() => undefined);
      look();
    }
  };
  const done = looking();
  const watch: VitalsWatch = {
    samples: [],
    ownGap: () => own.max / 1e6 - 10,
    async stop() {
      stopped.abort();
      await done;
      own.disable();
    },
  };
  return watch;
}
