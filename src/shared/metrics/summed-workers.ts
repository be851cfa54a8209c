import { AggregatorRegistry, type Registry } from 'prom-client';

/** The metrics of one process at one moment, as they travel between processes. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The metrics of several processes together: counts are summed, each gauge says itself how it is put together. */
export function sumSnapshots(snapshots: readonly MetricsSnapshot[]): Registry {
  return AggregatorRegistry.aggregate([...snapshots]);
}

const COUNTED = ['counter', 'histogram'];

/** What remains of a process that has ended: its counts. A sum that shrank would look like new calls. */
export function countsOf(snapshot: MetricsSnapshot): MetricsSnapshot {
  return snapshot.filter(({ type }) => COUNTED.includes(String(type)));
}
