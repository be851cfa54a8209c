import { setTimeout as delay } from 'node:timers/promises';
import { waitedBy } from '../shared/waited.ts';
import type { Interval } from './record.ts';
import type { Topology } from './topology.ts';

/**
 * Times in which a process that calls go through waited for a processor that others used. The bridge then takes a new API
 * that is only kept from running for one that is away, and tells callers to come again.
 */

const LOOK_EVERY_MS = 500;
/** Of the time between two looks. */
const STARVED_FROM = 0.4;

/** Looks on; `into` gets the times, those side by side as one. */
export function watchStarvation({ machines, modern }: Topology, into: Interval[]): () => void {
  const stopped = new AbortController();
  let before = new Map<number, number>();
  let at = Date.now();
  const look = () => {
    const now = Date.now();
    const pids = [process.pid, modern.pid, ...machines.map((machine) => machine.pid())];
    const waited = new Map(pids.map((pid) => [pid, waitedBy(pid) ?? 0]));
    const longest = Math.max(...pids.map((pid) => (waited.get(pid) ?? 0) - (before.get(pid) ?? Infinity)));
    if (longest >= (now - at) * STARVED_FROM) note(into, { from: at, until: now });
    [before, at] = [waited, now];
  };
  const looking = async () => {
    for (; !stopped.signal.aborted; await delay(LOOK_EVERY_MS)) look();
  };
  void looking();
  return () => stopped.abort();
}

function note(into: Interval[], interval: Interval): void {
  const last = into.at(-1);
  if (last?.until === interval.from) last.until = interval.until;
  else into.push(interval);
}
