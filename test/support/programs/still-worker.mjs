// Two workers, one of which stands still when the first process stops.
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { runWorker, startWorkers } from '../../../dist/app/workers.js';

if (cluster.isWorker) await runWorker(async () => ({ close: async () => undefined }));
else {
  const exec = fileURLToPath(import.meta.url);
  const workers = await startWorkers({ count: 2, logger: console, stopLimit: 5000, exec });
  const [still] = Object.values(cluster.workers);
  still.process.kill('SIGSTOP');
  await workers.close();
  process.stdout.write(`${still.process.signalCode} ended the worker that stood still\n`);
}
