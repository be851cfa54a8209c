import cluster, { type Worker } from 'node:cluster';
import { join } from 'node:path';
import { MINUTE, SECOND, STOP_LIMIT } from '../shared/lifetimes.ts';
import type { Logger } from '../shared/log/logger.ts';
import { reduceError } from '../shared/log/redaction.ts';
import { programFolder } from './program-folder.ts';
import { type FleetMetrics, gatherFromWorkers } from './worker-metrics.ts';

/**
 * Several processes that serve one port (WORKERS). The first process serves no call itself: it opens the port for all
 * workers, starts the workers and replaces workers that die. The first process tells a worker only when to stop, and asks
 * it for its metrics (`worker-metrics.ts`).
 */

/** Longer than a worker takes to stop, after the drain, and shorter than a supervisor waits for the first process. */
export const WORKER_STOP_TAKES = STOP_LIMIT + 6 * SECOND;

export interface WorkersOptions {
  count: number;
  logger: Logger;
  /** How long a worker may take to stop, its drain included, in milliseconds. */
  stopLimit: number;
  /** The file that each worker runs. The file starts its server through `runWorker`. */
  exec?: string;
}

export interface Workers {
  /** Lets all workers finish their work, and kills one that does not end in time; resolves when the last worker has ended. */
  close(): Promise<void>;
}

type WorkerMessage =
  | { type: 'ready' }
  | { type: 'failed'; message: string }
  | { type: `metrics of ${string}` };

/** A worker that lives shorter than this has failed, and the pause before its next replacement is longer. */
const LIVED_LONG = 1 * MINUTE;

const PAUSE_MIN = 100;
const PAUSE_MAX = 30 * SECOND;

function untilServing(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    // A worker that is scraped before it is ready asks for the metrics of all first.
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'ready') resolve();
      if (message.type === 'failed') reject(new Error(message.message));
    });
    worker.on('error', reject);
    worker.once('exit', (code: number | null, signal: string | null) =>
      reject(new Error(`a worker ended with ${signal ?? code} before it served`)),
    );
  });
}

/** One slot among the workers: the first process of the slot, and later its replacements. */
class Place {
  readonly #logger: Logger;
  readonly #metrics: FleetMetrics;
  #worker: Worker | undefined;
  #gone = Promise.resolve();
  #waiting: NodeJS.Timeout | undefined;
  #isClosing = false;
  #pause = PAUSE_MIN;

  constructor(logger: Logger, metrics: FleetMetrics) {
    this.#logger = logger;
    this.#metrics = metrics;
  }

  /**
   * Starts a process in this slot; resolves when the process serves. From then on the slot replaces it when it ends.
   */
  async start(): Promise<void> {
    const worker = cluster.fork();
    const startedAt = performance.now();
    this.#worker = worker;
    this.#gone = new Promise((resolve) => {
      worker.once('exit', () => resolve());
      // A process that could not be spawned never emits `exit`.
      worker.on('error', () => (worker.process.pid === undefined ? resolve() : undefined));
    });
    await untilServing(worker);
    this.#metrics.join(worker);
    worker.once('exit', (code: number | null, signal: string | null) => {
      if (performance.now() - startedAt >= LIVED_LONG) this.#pause = PAUSE_MIN;
      const details = { pid: worker.process.pid, exit: signal ?? code };
      this.#replace('a worker ended unexpectedly, the first process starts another one', details);
    });
  }

  #replace(what: string, details: object): void {
    if (this.#isClosing) return;
    this.#logger.error(what, { ...details, pause: this.#pause });
    this.#waiting = setTimeout(() => void this.#restart(), this.#pause);
    this.#pause = Math.min(2 * this.#pause, PAUSE_MAX);
  }

  async #restart(): Promise<void> {
    try {
      await this.start();
    } catch (error) {
      await this.#gone;
      this.#replace('a worker could not be replaced, the first process tries again', { error });
    }
  }

  /**
   * Lets the process finish its work, and does not replace the process. A process that stands still takes no SIGTERM, and would
   * keep the first process until that is killed from outside.
   */
  async close(limit: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#waiting);
    const { process: child } = this.#worker ?? {};
    child?.kill('SIGTERM');
    const late = setTimeout(() => {
      this.#logger.error('a worker did not end in time, the first process kills it', {
        pid: child?.pid,
        limit,
      });
      child?.kill('SIGKILL');
    }, limit);
    await this.#gone;
    clearTimeout(late);
  }
}

/**
 * Starts `count` workers and resolves when all workers serve.
 * @throws {Error} in plain words when a worker cannot start; then no worker is left
 */
export async function startWorkers({ count, logger, stopLimit, exec }: WorkersOptions): Promise<Workers> {
  // Each worker accepts connections itself. If the first process handed out the calls, a call for a dying worker would
  // hang for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: exec ?? join(programFolder, 'worker.js'), args: [] });
  const metrics = gatherFromWorkers(count, logger);
  const places = Array.from({ length: count }, () => new Place(logger, metrics));
  const close = async () => {
    await Promise.all(places.map((place) => place.close(stopLimit)));
    metrics.stop();
  };
  try {
    await Promise.all(places.map((place) => place.start()));
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}

/**
 * The whole life of a worker: starts the server, reports `ready` to the first process, and closes the server on SIGTERM
 * or when the first process is gone.
 */
export async function runWorker(start: () => Promise<{ close(): Promise<void> }>): Promise<void> {
  const { worker } = cluster;
  if (!worker)
    throw new Error('do not run this file by hand: the first process starts the workers (WORKERS)');
  const serving = start();
  let isServing = false;
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= serving
      .then(
        (running) => running.close(),
        () => undefined,
      )
      .then(() => process.exit());
  };
  process.on('SIGTERM', stop);
  // Ctrl-C in a terminal, and the end of a terminal, reach every process at once. The first process stops the workers
  // in order.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  // A message to a first process that has just gone gives this error. `disconnect` follows and stops the worker; the
  // work under way must not end before.
  worker.on('error', () => undefined);
  worker.once('disconnect', () => {
    if (!isServing) return;
    // Otherwise Node would end the process at once, perhaps during an exchange whose answer would be lost.
    worker.exitedAfterDisconnect = true;
    stop();
  });
  try {
    await serving;
    isServing = true;
    process.send?.({ type: 'ready' });
  } catch (error) {
    process.send?.({ type: 'failed', message: reduceError(error).message }, () => process.exit(1));
  }
}
