import { setTimeout as delay } from 'node:timers/promises';
import { groupBy } from '../../../../src/shared/group-by.ts';
import type { Call } from '../../shared/checker/history.ts';
import { waitedBy } from '../../shared/waited.ts';
import type { Ground } from '../ground.ts';
import type { SoakRun } from '../run.ts';

/**
 * How long the processes that a call goes through waited for a processor, as the kernel counts it: so much longer a call
 * may take on a machine that others use too. Where the kernel does not count it, nothing is added.
 */

/** One look at one process: what it has waited since its start, in milliseconds. */
export interface Wait {
  at: number;
  /** `soak`, `new API`, or the number of a machine. */
  who: string | number;
  pid: number;
  waited: number;
}

const LOOK_EVERY_MS = 1000;
function lookAt({ machines, modernPid }: Pick<Ground, 'machines' | 'modernPid'>): Wait[] {
  const at = Date.now();
  const seen: Array<[Wait['who'], number]> = [
    ['soak', process.pid],
    ['new API', modernPid],
    ...machines.flatMap((machine) => machine.pids().map((pid): [number, number] => [machine.index, pid])),
  ];
  return seen.flatMap(([who, pid]) => {
    const waited = waitedBy(pid);
    return waited === undefined ? [] : [{ at, who, pid, waited }];
  });
}

type Timed = Pick<Call, 'process' | 'startedAt' | 'endedAt'>;

/** The looks at one process, from the last before a call to the first after it. */
function aroundCall(looks: readonly Wait[], { startedAt, endedAt }: Timed): Wait[] {
  const first = Math.max(
    0,
    looks.findLastIndex(({ at }) => at <= startedAt),
  );
  const after = looks.findIndex(({ at }) => at >= endedAt);
  return looks.slice(first, after < 0 ? undefined : after + 1);
}

const grown = (looks: readonly Wait[]): number => (looks.at(-1)?.waited ?? 0) - (looks[0]?.waited ?? 0);

/** Of the processes of one place the one that waited longest, and the places one after the other. */
export function waitedDuring(waits: readonly Wait[], call: Timed): number {
  const longest = new Map<Wait['who'], number>();
  const own = waits.filter(({ who }) => typeof who === 'string' || who === call.process);
  for (const looks of groupBy(own, ({ pid }) => pid).values()) {
    const who = looks[0]?.who ?? '';
    longest.set(who, Math.max(longest.get(who) ?? 0, grown(aroundCall(looks, call))));
  }
  return [...longest.values()].reduce((sum, one) => sum + one, 0);
}

export interface Stalls {
  waits: Wait[];
  stop(): Promise<void>;
}

/** Notes it of the calls that took longer than a caller may wait. */
export function noteStood({ ledger, options }: SoakRun, { waits }: Pick<Stalls, 'waits'>): void {
  const { callerLimit } = options.pace;
  for (const call of [...ledger.calls, ...ledger.unanswered, ...ledger.slow])
    if (call.endedAt - call.startedAt > callerLimit) call.stood = waitedDuring(waits, call);
}

/** Looks until it is stopped. */
export function watchStalls(ground: Pick<Ground, 'machines' | 'modernPid'>): Stalls {
  const stopped = new AbortController();
  const waits: Wait[] = [];
  const looking = async () => {
    while (!stopped.signal.aborted) {
      waits.push(...lookAt(ground));
      await delay(LOOK_EVERY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
    waits.push(...lookAt(ground));
  };
  const done = looking();
  return {
    waits,
    async stop() {
      stopped.abort();
      await done;
    },
  };
}
