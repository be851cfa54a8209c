import cluster, { type Worker } from 'node:cluster';
import { Registry } from 'prom-client';
import { setTimeout as delay } from 'node:timers/promises';
import { SECOND } from '../shared/lifetimes.ts';
import type { Logger } from '../shared/log/logger.ts';
import { addSilentWorkers } from '../shared/metrics/process-metrics.ts';
import { countsOf, type MetricsSnapshot, sumSnapshots } from '../shared/metrics/summed-workers.ts';

/**
 * How a worker that is scraped gets the metrics of all workers. The worker asks the first process, the first process
 * asks every worker that serves. What a worker counted is kept when the worker ends.
 */

type ToFirst =
  | { type: 'metrics of all wanted'; request: number }
  | { type: 'metrics of one'; request: number; snapshot: MetricsSnapshot };

type ToWorker =
  | { type: 'metrics of one wanted'; request: number }
  | { type: 'metrics of all'; request: number; snapshots: MetricsSnapshot[] };

/** A worker that does not answer for so long stands still. What it counted up to the last scrape stays in the sum. */
const ANSWER_LIMIT = 2 * SECOND;

/** The first process answers within twice the limit above. A longer silence means that it is gone. */
const ALL_LIMIT = 5 * SECOND;

/** A message to a process that has just gone is lost, and its `exit` or `disconnect` follows. */
const ignoreGone = (): void => undefined;

/** What the first process itself adds to the sum. */
function snapshotOfSilent(silent: number): Promise<MetricsSnapshot> {
  const registry = new Registry();
  addSilentWorkers(registry, () => silent);
  return registry.getMetricsAsJSON();
}

/** What the first process knows of the metrics of its workers. */
export interface FleetMetrics {
  /** The worker serves: it answers from now on. */
  join(worker: Worker): void;
  stop(): void;
}

/** The workers that do not answer now. A worker that ended meanwhile is none of them. */
async function findSilent(
  serving: ReadonlyMap<Worker, MetricsSnapshot>,
  askOne: (worker: Worker) => Promise<boolean>,
): Promise<Set<Worker>> {
  const asked = [...serving.keys()];
  const hasAnswered = await Promise.all(asked.map(askOne));
  return new Set(asked.filter((worker, at) => hasAnswered[at] === false && serving.has(worker)));
}

const namesOf = ({ id, process: { pid } }: Worker) => ({ worker: `bridge ${id}`, pid });

/** Tells which worker is silent, once: a metric cannot name it, because each worker that takes a place has another number. */
function createSilenceLog(logger: Pick<Logger, 'error' | 'warn'>): (silent: ReadonlySet<Worker>) => void {
  let told: ReadonlySet<Worker> = new Set();
  return (silent) => {
    const before = told;
    told = new Set(silent);
    for (const worker of told)
      if (!before.has(worker))
        logger.error(
          'a worker does not answer the first process, the metrics lack its gauges',
          namesOf(worker),
        );
    for (const worker of before)
      if (!told.has(worker) && !worker.isDead())
        logger.warn('a worker answers the first process again', namesOf(worker));
  };
}

/** What is known of each worker. Of a silent one only the counts are still true. */
const withoutGauges = (serving: ReadonlyMap<Worker, MetricsSnapshot>, silent: ReadonlySet<Worker>) =>
  [...serving].map(([worker, snapshot]) => (silent.has(worker) ? countsOf(snapshot) : snapshot));

/**
 * Scrapes that come while answers are gathered share the next gathering. So many at once cost a worker two answers, and do not
 * make it look as if it stood still.
 */
function sharedGathering(gather: () => Promise<MetricsSnapshot[]>): () => Promise<MetricsSnapshot[]> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<MetricsSnapshot[]> | undefined;
  const begin = () => {
    next = undefined;
    return gather();
  };
  return () => {
    if (!next) last = next = last.then(begin, begin);
    return next;
  };
}

/** The counts of the workers that have ended, summed again after each end. */
function createEndedCounts() {
  const counts: MetricsSnapshot[] = [];
  let summing = Promise.resolve();

  /** One sum at a time: an end that comes meanwhile waits behind the sum. */
  async function sumUp(): Promise<void> {
    const { length } = counts;
    if (length > 1) counts.splice(0, length, await sumSnapshots(counts.slice()).getMetricsAsJSON());
  }

  return {
    counts,
    add(snapshot: MetricsSnapshot): void {
      counts.push(countsOf(snapshot));
      summing = summing.then(sumUp);
    },
  };
}

/** The first process's part, for `count` workers. One that has not started yet, or was not replaced yet, does not answer either. */
export function gatherFromWorkers(count: number, logger: Logger): FleetMetrics {
  const serving = new Map<Worker, MetricsSnapshot>();
  const waiting = new Map<number, (snapshot: MetricsSnapshot) => void>();
  const ended = createEndedCounts();
  const tellSilence = createSilenceLog(logger);
  let requests = 0;

  /** Whether the worker answered. */
  async function askOne(worker: Worker): Promise<boolean> {
    const request = (requests += 1);
    const answered = new Promise<MetricsSnapshot>((resolve) => waiting.set(request, resolve));
    worker.send({ type: 'metrics of one wanted', request } satisfies ToWorker, ignoreGone);
    const snapshot = await Promise.race([answered, delay(ANSWER_LIMIT, undefined, { ref: false })]);
    waiting.delete(request);
    if (snapshot && serving.has(worker)) serving.set(worker, snapshot);
    return snapshot !== undefined;
  }

  const snapshotsOfAll = sharedGathering(async () => {
    const silent = await findSilent(serving, askOne);
    tellSilence(silent);
    const own = await snapshotOfSilent(count - serving.size + silent.size);
    return [own, ...withoutGauges(serving, silent), ...ended.counts];
  });

  async function tellAll(asker: Worker, request: number): Promise<void> {
    const snapshots = await snapshotsOfAll();
    asker.send({ type: 'metrics of all', request, snapshots } satisfies ToWorker, ignoreGone);
  }

  function keepCounts(worker: Worker): void {
    ended.add(serving.get(worker) ?? []);
    serving.delete(worker);
  }

  const listen = (worker: Worker, message: ToFirst) => {
    if (message.type === 'metrics of one') waiting.get(message.request)?.(message.snapshot);
    else if (message.type === 'metrics of all wanted') void tellAll(worker, message.request);
  };
  cluster.on('message', listen);
  return {
    join(worker) {
      serving.set(worker, []);
      worker.once('exit', () => keepCounts(worker));
    },
    stop: () => void cluster.off('message', listen),
  };
}

/** Answers the first process with the metrics of this worker. The worker serves by then. */
export function answerFirstProcess(snapshot: () => Promise<MetricsSnapshot>): void {
  process.on('message', (message: ToWorker) => {
    if (message.type !== 'metrics of one wanted') return;
    const { request } = message;
    void snapshot().then((own) =>
      process.send?.(
        { type: 'metrics of one', request, snapshot: own } satisfies ToFirst,
        undefined,
        {},
        ignoreGone,
      ),
    );
  });
}

let requests = 0;

/**
 * The metrics of all workers of this machine.
 * @throws {Error} the first process does not answer: a part of the sum would look as if the others had begun anew
 */
export async function askFirstProcess(): Promise<MetricsSnapshot[]> {
  const request = (requests += 1);
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      process.off('message', listen);
      settle();
    };
    const listen = (message: ToWorker) => {
      if (message.type === 'metrics of all' && message.request === request)
        end(() => resolve(message.snapshots));
    };
    const fail = () => reject(new Error('the first process does not answer'));
    const timer = setTimeout(() => end(fail), ALL_LIMIT).unref();
    process.on('message', listen);
    process.send?.({ type: 'metrics of all wanted', request } satisfies ToFirst, undefined, {}, ignoreGone);
  });
}
