import { Counter, Gauge, type Registry } from 'prom-client';
import { SECOND } from '../lifetimes.ts';

export interface JobMetrics {
  /** A job that runs at least every `interval` milliseconds. */
  begin: (task: string, interval: number) => void;
  succeeded: (task: string) => void;
  failed: (task: string) => void;
}

/** When each job last succeeded. The label is `task`: Prometheus itself gives each series a label `job`. */
export function createJobMetrics(registry: Registry): JobMetrics {
  const labelled = { labelNames: ['task' as const], aggregator: 'max' as const, registers: [registry] };
  const success = new Gauge({
    name: 'grantbridge_job_last_success_timestamp_seconds',
    help: 'When a job last succeeded here; 0 before its first success since the start.',
    ...labelled,
  });
  const intervals = new Gauge({
    name: 'grantbridge_job_interval_seconds',
    help: 'The longest time between two turns of a job.',
    ...labelled,
  });
  const failures = new Counter({
    name: 'grantbridge_job_failures_total',
    help: 'Turns of a job that failed.',
    labelNames: ['task'],
    registers: [registry],
  });
  return {
    begin(task, interval) {
      // A start that counted as a success would hide a job that never succeeds from the rule, as long as processes start often.
      success.set({ task }, 0);
      intervals.set({ task }, interval / SECOND);
      failures.inc({ task }, 0);
    },
    succeeded: (task) => success.setToCurrentTime({ task }),
    failed: (task) => failures.inc({ task }),
  };
}
