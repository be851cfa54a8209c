import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { MINUTE, SECOND } from './shared/lifetimes.ts';
import type { Logger } from './shared/logger.ts';
import { reduceError } from './shared/redaction.ts';

/**
 * Several processes that serve one port (WORKERS). The first process serves nothing itself: it holds the port open,
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
    worker.once('exit', (code: number | null, signal: string | null) =>
      reject(new Error(`a worker ended with ${signal ?? code} before it served`)),
    );
  });
}

/** One place among the workers: its process now, and after that its replacements. */
function createPlace(logger: Logger) {
  let worker: Worker | undefined;
  let gone = Promise.resolve();
  let waiting: NodeJS.Timeout | undefined;
  let isClosing = false;
  let pause = PAUSE_MIN;

  const start = (): Promise<void> => {
    const [current, startedAt] = [cluster.fork(), performance.now()];
    worker = current;
    gone = new Promise((resolve) => current.once('exit', () => resolve()));
    const serving = untilServing(current);
    // the first start is over when this is heard: a death before it ends the whole
    void serving.then(
      () => current.once('exit', (...how) => replace(current, startedAt, how)),
      () => undefined,
    );
    return serving;
  };

  const restart = () => {
    start().catch((error: unknown) => {
      logger.error('a worker could not be replaced', { reason: reduceError(error).message });
      void gone.then(waitAndRestart);
    });
  };

  const waitAndRestart = () => {
    if (isClosing) return;
    waiting = setTimeout(restart, pause);
    pause = Math.min(2 * pause, PAUSE_MAX);
  };

  const replace = (dead: Worker, startedAt: number, [code, signal]: [number | null, string | null]) => {
    if (isClosing) return;
    if (performance.now() - startedAt >= LIVED_LONG) pause = PAUSE_MIN;
    logger.error('a worker ended unexpectedly and is replaced', {
      pid: dead.process.pid,
      exit: signal ?? code,
      pause,
    });
    waitAndRestart();
  };

  return {
    start,
    async close() {
      isClosing = true;
      clearTimeout(waiting);
      worker?.process.kill('SIGTERM');
      await gone;
    },
  };
}

/**
 * Starts `count` workers and resolves when all of them serve.
 * @throws {Error} in plain words when one of them cannot; none is left then
 */
export async function startWorkers({ count, logger, exec }: WorkersOptions): Promise<Workers> {
  // Each worker accepts for itself: a call that is handed to a worker which dies at that moment would hang for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: exec ?? fileURLToPath(new URL('./worker.js', import.meta.url)), args: [] });
  const places = Array.from({ length: count }, () => createPlace(logger));
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
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= serving.then((running) => running.close()).then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  // Ctrl-C in a terminal reaches every process at once; the first one stops the others in their order.
  process.on('SIGINT', () => undefined);
  worker.once('disconnect', () => {
    // Node would end the process here, in the midst of an exchange whose answer is then lost.
    worker.exitedAfterDisconnect = true;
    stop();
  });
  try {
    await serving;
    worker.send({ type: 'ready' });
  } catch (error) {
    worker.send({ type: 'failed', message: reduceError(error).message }, () => process.exit(1));
  }
}
