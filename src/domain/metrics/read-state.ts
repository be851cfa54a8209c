import { Registry } from 'prom-client';
import { addGauge, type GaugeValue } from '../../shared/metrics/gauge.ts';
import { DAY, SECOND } from '../../shared/lifetimes.ts';
import { readDoubts } from '../../store/grants/grant-states.ts';
import { readOwed } from '../../store/grants/owed-revocations.ts';
import { countUnchained, oldestUnchained } from '../../store/history/events.ts';
import { countOverdue } from '../../store/reminders/overdue-mails.ts';
import { withTimeout } from '../work/with-timeout.ts';
import { knownStages } from './begin-series.ts';
import { countGrantsByState, countMappingsByState } from './count-states.ts';
import type { MetricsDeps } from './deps.ts';
import { keepCount, type KeptCount } from './kept-count.ts';

/**
 * What the database and VAR_DIR know, for the metrics. Every worker would say the same, so the worker that is scraped
 * reads alone.
 */

/** A scraper waits ten seconds, unless it is told otherwise. */
const READ_LIMIT = 4 * SECOND;

/** More are not counted: each costs a step in an index. */
const COUNTED_MOST = 10_000;

interface StateGauge {
  name: string;
  help: string;
  labels?: readonly string[];
  read: () => Promise<GaugeValue[]>;
  /** What is shown where it cannot be read; without it the gauge has no value then. */
  last?: () => GaugeValue[] | undefined;
}

type StateCount = KeptCount<ReadonlyMap<string, number>>;

const byState = (counts: ReadonlyMap<string, number>): GaugeValue[] =>
  [...counts].map(([state, value]) => ({ labels: { state }, value }));

const one = (value: number): GaugeValue[] => [{ value }];

/** For how long something waits, in seconds; 0 where nothing does. */
const secondsSince = ({ clock }: MetricsDeps, since: number | null | undefined): number =>
  typeof since === 'number' ? Math.max(clock.now() - since, 0) / SECOND : 0;

async function readOldestDoubt(context: MetricsDeps): Promise<number> {
  const { oldest } = await readDoubts(context.store.durable, COUNTED_MOST);
  return secondsSince(context, oldest);
}

/** A restored copy tells the new API nothing: the original may have told it already. */
async function owedNow({ store, clock, instance }: MetricsDeps) {
  if (instance.isCopy()) return { count: 0, oldest: null };
  return readOwed(store.durable, { now: clock.now(), limit: COUNTED_MOST });
}

async function readOldestOwed(context: MetricsDeps): Promise<number> {
  const { oldest } = await owedNow(context);
  return secondsSince(context, oldest);
}

/** A mail waits for the morning of its reader, and is tried again for hours where a server is away. Longer than this is late. */
const LATE_AFTER = 1 * DAY;

/** A restored copy sends no mail: the original may have sent it already. */
async function readOverdue(context: MetricsDeps): Promise<GaugeValue[]> {
  const { store, clock, instance } = context;
  const counts = new Map<string, number>(knownStages(context).map((stage) => [stage, 0]));
  const late = { before: clock.now() - LATE_AFTER, limit: COUNTED_MOST };
  const rows = instance.isCopy() ? [] : await countOverdue(store.durable, late);
  for (const { stage, n } of rows) counts.set(stage, n);
  return [...counts].map(([stage, value]) => ({ labels: { stage }, value }));
}

function historyGauges(context: MetricsDeps): StateGauge[] {
  const { durable } = context.store;
  return [
    {
      name: 'grantbridge_history_unsealed_entries',
      help: `Entries of the history that wait to be sealed, counted up to ${COUNTED_MOST}.`,
      read: async () => one(await countUnchained(durable, COUNTED_MOST)),
    },
    {
      name: 'grantbridge_history_unsealed_oldest_seconds',
      help: 'How long the oldest entry of the history that is to be sealed has waited; 0 without one.',
      read: async () => one(secondsSince(context, await oldestUnchained(durable))),
    },
  ];
}

/** A gauge of what is counted now and then. While it cannot be counted anew, the last count stays. */
function countGauge(name: string, what: string, { count, last }: StateCount): StateGauge {
  return {
    name,
    help: `${what} by state, counted every 15 seconds or more rarely.`,
    labels: ['state'],
    read: async () => byState(await count()),
    last: () => {
      const known = last();
      return known && byState(known.value);
    },
  };
}

/** What is counted in pieces. */
const countsOf = ({ store, clock }: MetricsDeps): Record<'mappings' | 'grants', StateCount> => ({
  mappings: keepCount(clock, () => countMappingsByState(store.durable)),
  grants: keepCount(clock, () => countGrantsByState(store.durable)),
});

/** How old each count is; a count that never ended well has no age. */
const agesOf = (counts: Record<string, StateCount>): GaugeValue[] =>
  Object.entries(counts).flatMap(([of, { last }]) => {
    const known = last();
    return known ? [{ labels: { of }, value: known.age / SECOND }] : [];
  });

/** Every gauge of the state. A new gauge is a row here and in docs/operate/metrics.md. */
function stateGauges(context: MetricsDeps, { mappings, grants }: ReturnType<typeof countsOf>): StateGauge[] {
  const { store, spill } = context;
  return [
    countGauge('grantbridge_mappings', 'Tokens', mappings),
    countGauge('grantbridge_grants', 'Grants', grants),
    {
      name: 'grantbridge_grants_in_doubt',
      help: `Grants in doubt now, counted up to ${COUNTED_MOST}.`,
      read: async () => one((await readDoubts(store.durable, COUNTED_MOST)).count),
    },
    {
      name: 'grantbridge_grants_in_doubt_oldest_seconds',
      help: 'How long the oldest grant in doubt has been in doubt; 0 without one.',
      read: async () => one(await readOldestDoubt(context)),
    },
    {
      name: 'grantbridge_owed_revocations',
      help: `Ended grants of which the new API is still to be told, counted up to ${COUNTED_MOST}.`,
      read: async () => one((await owedNow(context)).count),
    },
    {
      name: 'grantbridge_owed_revocations_oldest_seconds',
      help: 'For how long the new API is to be told of the oldest of them; 0 without one.',
      read: async () => one(await readOldestOwed(context)),
    },
    {
      name: 'grantbridge_spill_files',
      help: 'Pairs that wait in VAR_DIR/spill.',
      read: async () => one(await spill.count()),
    },
    {
      name: 'grantbridge_mails_overdue',
      help: 'Mails with reminders of the stage that were made more than a day ago and have not left.',
      labels: ['stage'],
      read: () => readOverdue(context),
    },
    ...historyGauges(context),
  ];
}

/** Reads one gauge; false when it could not be read. */
async function readInto(registry: Registry, { read, last, ...gauge }: StateGauge): Promise<boolean> {
  const values = await withTimeout(read(), READ_LIMIT).catch(() => undefined);
  addGauge(registry, { ...gauge, read: () => values ?? last?.() ?? [] });
  return values !== undefined;
}

/** Prepares the reading. What is expensive to count is kept between two readings. */
export function createStateReader(context: MetricsDeps): () => Promise<Registry> {
  const counts = countsOf(context);
  const gauges = stateGauges(context, counts);
  return async () => {
    const registry = new Registry();
    const read = await Promise.all(gauges.map((gauge) => readInto(registry, gauge)));
    addGauge(registry, {
      name: 'grantbridge_state_count_age_seconds',
      help: 'How old the counts of tokens and of grants by state are.',
      labels: ['of'],
      read: () => agesOf(counts),
    });
    addGauge(registry, {
      name: 'grantbridge_state_readable',
      help: 'Whether all gauges of the state could be read, 0 or 1.',
      read: () => [{ value: read.includes(false) ? 0 : 1 }],
    });
    return registry;
  };
}
