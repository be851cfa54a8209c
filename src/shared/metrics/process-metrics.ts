import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Histogram, type Registry } from 'prom-client';
import { SECOND } from '../lifetimes.ts';
import { addGauge } from './gauge.ts';

export interface ProcessMetrics {
  /** How the database keeps up: the wait for a connection or for the lock of a writer, and each statement. */
  database: { waited: (milliseconds: number) => void; ran: (milliseconds: number) => void };
  /** Starts to measure the delay of the event loop. The returned function ends that. */
  watchEventLoop: () => () => void;
}

/** For waits and for statements. */
const DATABASE_TIMES = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const PERCENTILES = [50, 99, 100];

const NANOSECONDS = 1e9;

/** How often the event loop is looked at, in milliseconds. A shorter delay is not seen. */
const RESOLUTION = 10;

/** Two scrapers at once share a measurement: a second look within this time does not begin a new one. */
const MEASURED_FOR = 5 * SECOND;

function createEventLoopGauge(registry: Registry): () => () => void {
  let delays: ReturnType<typeof monitorEventLoopDelay> | undefined;
  let begun = performance.now();
  const secondsAt = (percentile: number) => {
    const nanoseconds = delays?.percentile(percentile) ?? 0;
    return Math.max(nanoseconds / NANOSECONDS - RESOLUTION / SECOND, 0);
  };
  addGauge(registry, {
    name: 'grantbridge_event_loop_delay_seconds',
    help: 'How late the event loop was since the scrape before; of the slowest worker.',
    labels: ['percentile'],
    together: 'max',
    read() {
      const values = PERCENTILES.map((at) => ({ labels: { percentile: String(at) }, value: secondsAt(at) }));
      if (performance.now() - begun >= MEASURED_FOR) {
        delays?.reset();
        begun = performance.now();
      }
      return values;
    },
  });
  return () => {
    const measured = monitorEventLoopDelay({ resolution: RESOLUTION });
    measured.enable();
    delays = measured;
    return () => void measured.disable();
  };
}

/** The first process knows which workers are silent; each worker itself adds none. */
export function addSilentWorkers(registry: Registry, count: () => number): void {
  addGauge(registry, {
    name: 'grantbridge_workers_silent',
    help: 'Workers of this machine that did not answer at this scrape, or are missing.',
    read: () => [{ value: count() }],
  });
}

/** What one process knows of itself. */
export function createProcessMetrics(registry: Registry): ProcessMetrics {
  const startedAt = Date.now() / SECOND;
  addGauge(registry, {
    name: 'grantbridge_workers',
    help: 'Processes that serve on this machine.',
    read: () => [{ value: 1 }],
  });
  addSilentWorkers(registry, () => 0);
  addGauge(registry, {
    name: 'grantbridge_start_timestamp_seconds',
    help: 'When the youngest worker started.',
    together: 'max',
    read: () => [{ value: startedAt }],
  });
  const waits = new Histogram({
    name: 'grantbridge_database_wait_seconds',
    help: 'How long work waited for a connection to the database, or for the lock of a writer.',
    buckets: DATABASE_TIMES,
    registers: [registry],
  });
  const statements = new Histogram({
    name: 'grantbridge_database_seconds',
    help: 'How long the database took for a statement.',
    buckets: DATABASE_TIMES,
    registers: [registry],
  });
  return {
    database: {
      waited: (milliseconds) => waits.observe(milliseconds / SECOND),
      ran: (milliseconds) => statements.observe(milliseconds / SECOND),
    },
    watchEventLoop: createEventLoopGauge(registry),
  };
}
