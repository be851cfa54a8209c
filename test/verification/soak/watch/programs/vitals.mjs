// Loaded into every process of a machine: SIGUSR2 frees what nobody holds any more, and writes down what is held, what is
// open, and how long the event loop was held since the last time.
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION = 10;
const NANOSECONDS = 1e6;

const gaps = monitorEventLoopDelay({ resolution: RESOLUTION });
gaps.enable();

process.on('SIGUSR2', () => {
  const gap = gaps.max / NANOSECONDS - RESOLUTION;
  const late = gaps.percentile(99) / NANOSECONDS - RESOLUTION;
  globalThis.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo().length;
  const told = { at: Date.now(), pid: process.pid, age: process.uptime() * 1000, gap, late, resources };
  appendFileSync(process.env.VITALS_FILE, `${JSON.stringify({ ...told, held: heapUsed + external, rss })}\n`);
  // the collection itself is no gap of the bridge
  setTimeout(() => gaps.reset(), 2 * RESOLUTION).unref();
});
