// The built bridge in a process of its own, or in WORKERS of them, by the clock that a test sets. It ends with the
// process that started it.
import cluster from 'node:cluster';
import { openSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startBridge } from '../../../dist/app/bridge.js';
import { readConfig } from '../../../dist/config/config.js';
import { createLogger } from '../../../dist/shared/log/logger.js';
import { runWorker, startWorkers, WORKER_STOP_TAKES } from '../../../dist/app/workers.js';
import { openContext } from '../../../dist/app/open-context.js';

const { TEST_CLOCK_FILE: clockFile, TEST_LOG_LEVEL: level } = process.env;
const logger = createLogger({ level, name: 'bridge' });

/** The other side of `SettableClock.share`. */
function fileClock(file) {
  const handle = openSync(file, 'r');
  const told = new Float64Array(2);
  const now = () => {
    readSync(handle, told, 0, told.byteLength, 0);
    const [runs, value] = told;
    return runs ? Date.now() + value : value;
  };
  return { now, elapsed: now, wall: now };
}

const start = () => startBridge(readConfig(), { logger, ...(clockFile && { clock: fileClock(clockFile) }) });

/** As src/app/system.ts starts them: schema and keys are made before several processes open them at once. */
async function startSeveral(config) {
  const opened = await openContext(config, config.upstream, { logger });
  await opened.close();
  const stopLimit = config.drain + WORKER_STOP_TAKES;
  return startWorkers({ count: config.workers, logger, stopLimit, exec: fileURLToPath(import.meta.url) });
}

async function serve() {
  const config = readConfig();
  const running = await (config.workers > 1 ? startSeveral(config) : start());
  const stop = () => void running.close().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('disconnect', stop);
  process.send({ type: 'ready' });
}

if (cluster.isWorker) await runWorker(start);
else
  serve().catch((error) => process.send({ type: 'failed', message: error.message }, () => process.exit(1)));
