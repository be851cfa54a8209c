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
  /** Names the old calls before the first of them comes. */
  begin: (endpoints: Iterable<string>) => void;
  note: (call: MeasuredCall) => void;
}

/** Where a token may stand. */
const CARRIERS = ['header', 'query', 'body', 'none'];

/** By whom a call may fail: every answer of 500 and above is of one of these. */
const FAILING = ['new', 'old', 'bridge'];

/** From a cached answer to the longest wait for the new API. In seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/** Calls with the same labels that are not in the library's samples yet. */
interface CallTally extends Omit<MeasuredCall, 'milliseconds'> {
  durations: number[];
}

/** A process that nobody scrapes must not gather durations for ever. */
const DURATIONS_MAX = 500;

/**
 * Counts old calls. The most frequent calls are answered from memory, and the library looks up all labels for each
 * sample. So a call leaves its duration alone, and many durations become samples together.
 */
export function createCallMetrics(registry: Registry): CallMetrics {
  const tallies = new Map<string, CallTally>();
  const collect = () => tallies.forEach(flush);
  const calls = new Counter({
    name: 'grantbridge_calls_total',
    help: 'Calls of the old addresses.',
    labelNames: ['endpoint', 'carrier', 'outcome', 'answered_by'],
    registers: [registry],
    collect,
  });
  /** Without a series that stands at 0, a rule could not tell none from unknown, nor see the first call. */
  const beginAt = (endpoint: string, carrier: string, [outcome, answeredBy]: readonly [string, string]) =>
    calls.inc({ endpoint, carrier, outcome, answered_by: answeredBy }, 0);
  for (const endpoint of ['token', 'handOver'])
    for (const outcome of ['answered', 'refused', 'limited', 'failed', 'shed'])
      beginAt(endpoint, 'none', [outcome, 'bridge']);
  for (const outcome of ['failed', 'shed']) beginAt('authorize', 'none', [outcome, 'bridge']);
  const seconds = new Histogram({
    name: 'grantbridge_call_seconds',
    help: 'How long calls of the old addresses took, until the answer was written.',
    labelNames: ['endpoint', 'answered_by'],
    buckets: BUCKETS,
    registers: [registry],
    collect,
  });
  seconds.zero({ endpoint: 'token', answered_by: 'bridge' });
  function flush({ endpoint, carrier, outcome, answeredBy, durations }: CallTally): void {
    calls.inc({ endpoint, carrier, outcome, answered_by: answeredBy }, durations.length);
    const timed = seconds.labels(endpoint, answeredBy);
    for (const milliseconds of durations) timed.observe(milliseconds / SECOND);
    durations.length = 0;
  }
  return {
    begin(endpoints) {
      for (const endpoint of endpoints)
        for (const carrier of CARRIERS) {
          for (const by of FAILING) beginAt(endpoint, carrier, ['failed', by]);
          beginAt(endpoint, carrier, ['shed', 'bridge']);
        }
    },
    note({ endpoint, carrier, outcome, answeredBy, milliseconds }) {
      const key = `${endpoint} ${carrier} ${outcome} ${answeredBy}`;
      const tally = tallies.get(key) ?? { endpoint, carrier, outcome, answeredBy, durations: [] };
      if (tally.durations.push(milliseconds) === 1) tallies.set(key, tally);
      if (tally.durations.length >= DURATIONS_MAX) flush(tally);
    },
  };
}
