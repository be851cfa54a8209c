import cluster from 'node:cluster';
import { readConfig } from '../config/config.ts';
import { installLastResort, STOP_TAKES } from '../shared/log/last-resort.ts';
import { takeLibraryLines } from '../shared/log/library-lines.ts';
import { createLogger } from '../shared/log/logger.ts';
import { markUncleanEnd } from '../store/files/unclean-end.ts';
import { type Bridge, startBridge } from './bridge.ts';
import { upstreamFor } from './embedded-client.ts';
import { answerFirstProcess, askFirstProcess } from './worker-metrics.ts';
import { runWorker } from './workers.ts';

async function start(): Promise<Bridge> {
  const config = readConfig();
  const logger = createLogger({ level: config.logLevel, name: `bridge ${cluster.worker?.id ?? ''}` });
  const running: { bridge?: Bridge } = {};
  const drain = async () => running.bridge?.close({ isFailing: true });
  const mark = () => markUncleanEnd(config.varDir);
  installLastResort({ logger, mark, drain, limit: config.drain + STOP_TAKES });
  takeLibraryLines(logger);
  const overrides = { logger, gatherMetrics: askFirstProcess };
  running.bridge = await startBridge({ ...config, upstream: upstreamFor(config) }, overrides);
  answerFirstProcess(running.bridge.context.metrics.snapshot);
  return running.bridge;
}

/** Serves as one worker: with the environment of the first process (files of secrets are read anew), on the port that the first process opens. */
export const serveAsWorker = (): Promise<void> => runWorker(start);
