import cluster from 'node:cluster';
import { type Bridge, startBridge } from './app/bridge.ts';
import { readConfig } from './config/config.ts';
import { upstreamFor } from './app/embedded-client.ts';
import { installLastResort, STOP_TAKES } from './shared/log/last-resort.ts';
import { createLogger } from './shared/log/logger.ts';
import { answerFirstProcess, askFirstProcess } from './app/worker-metrics.ts';
import { runWorker } from './app/workers.ts';

process.setSourceMapsEnabled(true);

/** Entry of one worker: the bridge with the settings of the first process, on the port that the first process opens. */
void runWorker(async () => {
  const config = readConfig();
  const logger = createLogger({ level: config.logLevel, name: `bridge ${cluster.worker?.id ?? ''}` });
  const running: { bridge?: Bridge } = {};
  const drain = async () => running.bridge?.close({ isFailing: true });
  installLastResort({ logger, drain, limit: config.drain + STOP_TAKES });
  const overrides = { logger, gatherMetrics: askFirstProcess };
  running.bridge = await startBridge({ ...config, upstream: upstreamFor(config) }, overrides);
  answerFirstProcess(running.bridge.context.metrics.snapshot);
  return running.bridge;
});
