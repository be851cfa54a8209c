// Two workers that are asked for the metrics of all before they are ready, as by a scrape that comes at their start.
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { askFirstProcess } from '../../../dist/app/worker-metrics.js';
import { runWorker, startWorkers } from '../../../dist/app/workers.js';

async function start() {
  await askFirstProcess();
  return { close: async () => undefined };
}

if (cluster.isWorker) await runWorker(start);
else {
  const exec = fileURLToPath(import.meta.url);
  const workers = await startWorkers({ count: 2, logger: console, stopLimit: 5000, exec });
  process.stdout.write('all serve\n');
  await workers.close();
}
