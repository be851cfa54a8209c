import { SECOND } from '../../shared/lifetimes.ts';
import { addGauge } from '../../shared/metrics/gauge.ts';
import { withTimeout } from '../work/with-timeout.ts';
import { beginSeries } from './begin-series.ts';
import type { MetricsDeps } from './deps.ts';

/** More clients are not told of: those with the smallest rest come first. */
const CLIENTS_MOST = 100;

function budgetsLeft({ sides }: MetricsDeps) {
  return [...sides.mainApis()]
    .map(([client, mainApi]) => ({ labels: { client }, value: mainApi.remainingShare() }))
    .toSorted((one, other) => one.value - other.value)
    .slice(0, CLIENTS_MOST);
}

/** A breaker that waits for a call to try out refuses nothing, and may wait for hours where nobody calls. */
const breakersOf = ({ sides: { reads, connections } }: MetricsDeps) =>
  Object.entries({ reads, connections }).map(([before, breaker]) => ({
    labels: { before },
    value: breaker.refuses() ? 1 : 0,
  }));

const connectionsOf = ({ store }: MetricsDeps) =>
  Object.entries(store.connections()).map(([state, value]) => ({ labels: { state }, value }));

const asNumber = (isSo: boolean) => [{ value: isSo ? 1 : 0 }];

/** A start would be refused by what these tell of, while the running process goes on with what it read before. */
export function watchFiles({ metrics, keyring }: MetricsDeps, isCertificateUsable: () => boolean): void {
  addGauge(metrics.registry, {
    name: 'grantbridge_keys_unusable',
    help: 'Whether the key file cannot be read, lacks a key in use or does not fit the database, 1 or 0.',
    together: 'max',
    read: () => asNumber(!keyring.isInOrder()),
  });
  addGauge(metrics.registry, {
    name: 'grantbridge_certificate_unusable',
    help: 'Whether the files of the certificate were changed and are not usable, 1 or 0.',
    together: 'max',
    read: () => asNumber(!isCertificateUsable()),
  });
}

/** What a process says of itself, beside its parts. */
interface ProcessWords {
  /** Whether the end before this start is still to be told at a moment. */
  wasUnclean: (now: number) => boolean;
  /** Why `/ready` says no; undefined while it says yes. */
  findUnready: () => Promise<string | undefined>;
}

/** The first process waits two seconds for a worker. A database that has not answered by then lets nobody serve. */
const READY_LIMIT = SECOND;

/** A balancer alone would know otherwise, and it calls nobody. */
function tellReadiness({ metrics }: MetricsDeps, findUnready: ProcessWords['findUnready']): void {
  const isReady = async () => (await withTimeout(findUnready(), READY_LIMIT)) === undefined;
  addGauge(metrics.registry, {
    name: 'grantbridge_ready',
    help: 'Whether /ready says of every worker that it can serve, 1 or 0.',
    together: 'min',
    read: async () => asNumber(await isReady().catch(() => false)),
  });
}

function tellLastEnd({ metrics, clock }: MetricsDeps, wasUnclean: ProcessWords['wasUnclean']): void {
  addGauge(metrics.registry, {
    name: 'grantbridge_last_end_unclean',
    help: 'Whether an error that nobody caught ended a process before the last start, for an hour, 1 or 0.',
    together: 'max',
    read: () => asNumber(wasUnclean(clock.now())),
  });
}

/**
 * Measures what belongs to this process and needs its parts: the event loop, the database, the budgets. The returned
 * function ends the measuring.
 */
export function watchProcess(context: MetricsDeps, { wasUnclean, findUnready }: ProcessWords): () => void {
  const { metrics } = context;
  beginSeries(context);
  tellReadiness(context, findUnready);
  tellLastEnd(context, wasUnclean);
  addGauge(metrics.registry, {
    name: 'grantbridge_new_api_budget_left_ratio',
    help: "The share of a client's budget at the new API that is left in its tightest window, 0 to 1.",
    labels: ['client'],
    together: 'min',
    read: () => budgetsLeft(context),
  });
  addGauge(metrics.registry, {
    name: 'grantbridge_new_api_breaker_open',
    help: 'Whether a breaker before the new API refuses calls now, 1 or 0.',
    labels: ['before'],
    together: 'max',
    read: () => breakersOf(context),
  });
  addGauge(metrics.registry, {
    name: 'grantbridge_restored_copy',
    help: 'Whether the bridge takes its database for a restored copy and sends nothing to the new API, 1 or 0.',
    together: 'max',
    read: () => asNumber(context.instance.isCopy()),
  });
  addGauge(metrics.registry, {
    name: 'grantbridge_database_connections',
    help: 'Connections to the database: all, those without work, and work that waits for one.',
    labels: ['state'],
    read: () => connectionsOf(context),
  });
  return metrics.process.watchEventLoop();
}
