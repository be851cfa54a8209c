import { Counter, Histogram, type Registry } from 'prom-client';
import { SECOND } from '../lifetimes.ts';

/** One answered call of an old address. Each label has a fixed, short list of values. */
interface MeasuredCall {
  endpoint: string;
  carrier: string;
  outcome: string;
  answeredBy: string;
  milliseconds: number;
}

export interface CallMetrics {
  note: (call: MeasuredCall) => void;
}

/** From a cached answer to the longest wait for the new API. In seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/** Counts old calls. A note takes about one microsecond: the most frequent calls are answered from memory. */
export function createCallMetrics(registry: Registry): CallMetrics {
  const calls = new Counter({
    name: 'grantbridge_calls_total',
    help: 'Calls of the old addresses.',
    labelNames: ['endpoint', 'carrier', 'outcome', 'answered_by'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'grantbridge_call_seconds',
    help: 'How long calls of the old addresses took, until the answer was written.',
    labelNames: ['endpoint', 'answered_by'],
    buckets: BUCKETS,
    registers: [registry],
  });
  return {
    note({ endpoint, carrier, outcome, answeredBy, milliseconds }) {
      calls.inc({ endpoint, carrier, outcome, answered_by: answeredBy });
      seconds.observe({ endpoint, answered_by: answeredBy }, milliseconds / SECOND);
    },
  };
}
