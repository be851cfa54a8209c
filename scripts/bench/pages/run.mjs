// `npm run bench:pages -- [--tokens N] [--database sqlite|postgres] [--only TEXT] [--at-once]`: every page of owners and of
// support at a large installation. Prints for each page the time of 95 of 100 requests and its weight beside their limits.
// The installation is filled once a day and kept in `--folder`. The pages are opened when the bridge does nothing else, or
// with `--at-once` beside its work after a start.
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startBridge, untilAtRest } from './bridge.mjs';
import { copyOf, openGround } from './ground.mjs';
import { measureWith } from './measure.mjs';
import { pagesOf } from './pages.mjs';

const [MOST_MS, MOST_KB] = [300, 100];
const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '1000000' },
    database: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
    folder: { type: 'string', default: join(tmpdir(), 'grantbridge-pages') },
    name: { type: 'string' },
    fill: { type: 'boolean', default: false },
    'at-once': { type: 'boolean', default: false },
  },
});

const opened = await openGround({ folder: values.folder, kind: values.database, tokens: values.tokens });
if (values.fill) {
  await opened.database.stop();
  process.exit(0);
}
const { env, cookies, ids } = await copyOf(opened);
const bridge = await startBridge(env);
if (!values['at-once']) await untilAtRest(bridge);
const measure = measureWith({
  env,
  cookies,
  pids: [bridge.pid, ...opened.database.pids()],
  rounds: Number(values.rounds),
});

const isGood = ({ kB, p95, status, isFile }) => status < 400 && (isFile || (p95 <= MOST_MS && kB <= MOST_KB));
const shownPath = ({ who, path, what }) =>
  `${who} ${path.replaceAll(/[0-9a-f]{24}/g, (id) => id.slice(0, 4))}${what ? ` (${what})` : ''}`;
const shown = (number, width) => number.toFixed(0).padStart(width);

const results = [];
for (const page of pagesOf(ids).filter(({ path }) => path.includes(values.only))) {
  const one = await measure(page);
  results.push(one);
  const times = `${shown(one.p50, 6)} ${shown(one.p95, 6)} ms ${shown(one.cpu, 5)} ms CPU ${shown(one.kB, 5)} kB`;
  console.log(`${shownPath(one).padEnd(66)} ${one.status} ${times}${isGood(one) ? '' : '  MISSED'}`);
}
const missed = results.filter((one) => !isGood(one));
console.log(`${results.length} pages, ${missed.length} missed; load ${loadavg()[0].toFixed(1)}`);
if (values.name) {
  const place = fileURLToPath(new URL('../results', import.meta.url));
  mkdirSync(place, { recursive: true });
  const { folder: _, ...asked } = values;
  const about = { at: new Date().toISOString(), node: process.version, ...asked, load: loadavg()[0] };
  writeFileSync(join(place, `${values.name}.json`), `${JSON.stringify({ about, results }, null, 2)}\n`);
}
await bridge.stop();
await opened.database.stop();
process.exit(missed.length === 0 ? 0 : 1);
