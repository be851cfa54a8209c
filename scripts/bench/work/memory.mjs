// A million calls of one process: its memory stays flat.
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';
import { atMost, median, spreadOf } from '../figures.mjs';
import { memoryOf, run, script } from '../process.mjs';

const CALLS = 1_000_000;
const LOOK_EVERY = 2000;

/** The memory of a process, again and again until the work is done. */
async function watch(pid, work) {
  const seen = [];
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  for await (const _ of setInterval(LOOK_EVERY)) {
    if (isDone) break;
    seen.push(memoryOf(pid));
  }
  await done;
  return seen;
}

const quarter = (all, number) => {
  const size = Math.floor(all.length / 4);
  return all.slice(number * size, (number + 1) * size);
};

/** A third of the calls by each carrier, each with a token chosen at random. */
export async function memory(stage) {
  const env = await stage.filled('cached', { tokens: stage.options.tokens });
  const bridge = await stage.serve('bridge', env);
  const file = join(env.VAR_DIR, 'tokens.txt');
  const { connections, calls = CALLS } = stage.options;
  const load = {
    ports: bridge.ports,
    file,
    connections: Math.ceil(connections / 3),
    calls: Math.ceil(calls / 3),
  };
  const loads = ['header', 'query', 'body'].map((request) =>
    run([script('load.mjs'), JSON.stringify({ ...load, request })]),
  );
  const seen = await watch(bridge.pids[0], Promise.all(loads));
  const growth = median(quarter(seen, 3)) / median(quarter(seen, 1));
  const most = Math.max(...seen);
  const line = { work: `${calls} calls`, contender: 'bridge', figures: { memory: spreadOf(seen) } };
  const compared = (what, value, wanted) => ({
    ...line,
    compared: { what, value: spreadOf([value]), wanted },
  });
  return [
    compared('most MB', most, atMost(256)),
    compared('MB in the last quarter / in the second', growth, atMost(1.1)),
  ];
}
