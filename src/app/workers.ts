import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { MINUTE, SECOND } from '../shared/lifetimes.ts';
import type { Logger } from '../shared/log/logger.ts';
import { reduceError } from '../shared/log/redaction.ts';

/**
 * Several processes that serve one port (WORKERS). The first process serves nothing itself: it opens the port for all,
 * starts the workers and replaces those that die. A worker learns nothing from it but when to stop.
 */

export interface WorkersOptions {
  count: number;
  logger: Logger;
  /** The file that each worker runs; what it starts goes through `runWorker`. */
  exec?: string;
}

export interface Workers {
  /** Lets all workers finish what they do; resolves when the last has ended. */
  close(): Promise<void>;
}

type Announcement = { type: 'ready' } | { type: 'failed'; message: string };

/** A worker that ends sooner than this after its start did not get well. */
const LIVED_LONG = 1 * MINUTE;

const PAUSE_MIN = 100;
const PAUSE_MAX = 30 * SECOND;

function untilServing(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('message', (message: Announcement) =>
      message.type === 'ready' ? resolve() : reject(new Error(message.message)),
    );
    worker.on('error', reject);
    worker.once('exit', (code: number | null, signal: string | null) =>
      reject(new Error(`a worker ended with ${signal ?? code} before it served`)),
    );
  });
}

/** One place among the workers: its first process, and after that the replacements. */
class Place {
  readonly #logger: Logger;
  #worker: Worker | undefined;
  #gone = Promise.resolve();
  #waiting: NodeJS.Timeout | undefined;
  #isClosing = false;
  #pause = PAUSE_MIN;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Starts a process here; resolves when it serves, and sees to it from then on that one does. */
  async start(): Promise<void> {
    const worker = cluster.fork();
    const startedAt = performance.now();
    this.#worker = worker;
    this.#gone = new Promise((resolve) => {
      worker.once('exit', () => resolve());
      // One that could not be spawned never exits.
      worker.on('error', () => (worker.process.pid === undefined ? resolve() : undefined));
    });
    await untilServing(worker);
    worker.once('exit', (code: number | null, signal: string | null) => {
      if (performance.now() - startedAt >= LIVED_LONG) this.#pause = PAUSE_MIN;
      const details = { pid: worker.process.pid, exit: signal ?? code };
      this.#replace('a worker ended unexpectedly and is replaced', details);
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
      this.#replace('a worker could not be replaced and is tried again', { error });
    }
  }

  /** Lets the process finish what it does; there is no other after it. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#waiting);
    this.#worker?.process.kill('SIGTERM');
    await this.#gone;
  }
}

/**
 * Starts `count` workers and resolves when all of them serve.
 * @throws {Error} in plain words when one of them cannot; none is left then
 */
export async function startWorkers({ count, logger, exec }: WorkersOptions): Promise<Workers> {
  // Each worker accepts for itself: a call that is handed to a worker which dies at that moment would hang for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: exec ?? fileURLToPath(new URL('../worker.js', import.meta.url)), args: [] });
  const places = Array.from({ length: count }, () => new Place(logger));
  const close = async () => void (await Promise.all(places.map((place) => place.close())));
  try {
    await Promise.all(places.map((place) => place.start()));
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}

/**
 * A worker's whole life: starts what it serves, says so to the first process, and closes it on SIGTERM or when the
 * first process is gone.
 */
export async function runWorker(start: () => Promise<{ close(): Promise<void> }>): Promise<void> {
  const { worker } = cluster;
  if (!worker) throw new Error('this file is run by the first process of WORKERS, not by hand');
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
  // Ctrl-C in a terminal, and its end, reach every process at once; the first one stops the others in their order.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  // A message to a first process that has just gone: `disconnect` follows, and what is under way must not end before.
  worker.on('error', () => undefined);
  worker.once('disconnect', () => {
    if (!isServing) return;
    // Node would end the process after this, in the midst of an exchange whose answer were lost then.
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
