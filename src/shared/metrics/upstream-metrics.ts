import { Counter, Histogram, type Registry } from 'prom-client';
import { SECOND } from '../lifetimes.ts';

const UPSTREAM_CALLS = ['exchange', 'refresh', 'introspect', 'revoke', 'read', 'write'] as const;

const UPSTREAM_OUTCOMES = ['answered', 'refused', 'limited', 'failed'] as const;

/** What an exchange or a refresh waits for before it can be sent: one of the places, then its connection. */
const AWAITED = ['place', 'connection'] as const;

/** One call to the new API. */
interface UpstreamCall {
  call: (typeof UPSTREAM_CALLS)[number];
  outcome: (typeof UPSTREAM_OUTCOMES)[number];
  milliseconds: number;
}

export interface UpstreamMetrics {
  note: (call: UpstreamCall) => void;
  /** One call to the old API. */
  noteOldApi: (call: Omit<UpstreamCall, 'call'>) => void;
  /** How long an exchange or a refresh waited, also where its connection did not come about. */
  noteWait: (awaited: (typeof AWAITED)[number], milliseconds: number) => void;
  /** A read found no place in time, and was not sent. */
  noteTurnedAway: () => void;
  /** A caller got the last known answer, because the new API could not be asked. */
  noteLastKnown: () => void;
}

const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/**
 * Counts and times the calls to the new API and to the old API. Every series begins at zero: a rule sees the first call of
 * each kind only then.
 */
export function createUpstreamMetrics(registry: Registry): UpstreamMetrics {
  const seconds = new Histogram({
    name: 'grantbridge_new_api_seconds',
    help: 'How long calls to the new API took.',
    labelNames: ['call', 'outcome'],
    buckets: BUCKETS,
    registers: [registry],
  });
  for (const call of UPSTREAM_CALLS) for (const outcome of UPSTREAM_OUTCOMES) seconds.zero({ call, outcome });
  const waits = new Histogram({
    name: 'grantbridge_new_api_wait_seconds',
    help: 'How long exchanges and refreshes waited for a place, and for their connection.',
    labelNames: ['awaited'],
    buckets: BUCKETS,
    registers: [registry],
  });
  for (const awaited of AWAITED) waits.zero({ awaited });
  const oldApiSeconds = new Histogram({
    name: 'grantbridge_old_api_seconds',
    help: 'How long calls to the old API took.',
    labelNames: ['outcome'],
    buckets: BUCKETS,
    registers: [registry],
  });
  for (const outcome of UPSTREAM_OUTCOMES) oldApiSeconds.zero({ outcome });
  const turnedAway = new Counter({
    name: 'grantbridge_new_api_reads_turned_away_total',
    help: 'Reads of the new API that were not sent, because too many were under way.',
    registers: [registry],
  });
  const lastKnown = new Counter({
    name: 'grantbridge_last_known_answers_total',
    help: 'Calls that got the last known answer, because the new API could not be asked.',
    registers: [registry],
  });
  return {
    noteLastKnown: () => lastKnown.inc(),
    noteWait: (awaited, milliseconds) => waits.observe({ awaited }, milliseconds / SECOND),
    noteTurnedAway: () => turnedAway.inc(),
    noteOldApi: ({ outcome, milliseconds }) => oldApiSeconds.observe({ outcome }, milliseconds / SECOND),
    note: ({ call, outcome, milliseconds }) => seconds.observe({ call, outcome }, milliseconds / SECOND),
  };
}
