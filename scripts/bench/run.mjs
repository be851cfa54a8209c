// `npm run bench [-- --quick] [--row NAME]`: what the bridge costs, each row of the table beside its real peers in the same
// minutes (README.md). Prints one table, and writes it with the machine to `scripts/bench/results/`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { reachedOf, tableOf } from './figures.mjs';
import { openStage } from './stage.mjs';
import { accounts } from './work/accounts.mjs';
import { exchange } from './work/exchange.mjs';
import { lists } from './work/lists.mjs';
import { memory } from './work/memory.mjs';
import { machines, postgres } from './work/postgres.mjs';
import { profiles } from './work/profiles.mjs';
import { recovery } from './work/recovery.mjs';
import { refresh } from './work/refresh.mjs';
import { refusals } from './work/refusals.mjs';
import { uncached } from './work/uncached.mjs';
import { workers } from './work/workers.mjs';

/** `--quick` takes the first five. */
const DEFAULT_ROWS = {
  profiles,
  lists,
  uncached,
  exchange,
  refresh,
  postgres,
  workers,
  machines,
  accounts,
  refusals,
  recovery,
};
const QUICK_ROWS = 5;
const ROWS = { ...DEFAULT_ROWS, memory };

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    row: { type: 'string', multiple: true },
    tokens: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    'warm-up': { type: 'string' },
    calls: { type: 'string' },
    pace: { type: 'string' },
    name: { type: 'string' },
    node: { type: 'string', multiple: true, default: [] },
    against: { type: 'string' },
  },
});

const given = (name, otherwise) => (values[name] === undefined ? otherwise : Number(values[name]));

const options = {
  tokens: given('tokens', values.quick ? 2000 : 100_000),
  rounds: given('rounds', values.quick ? 2 : 5),
  seconds: given('seconds', values.quick ? 0.6 : 5),
  warmUp: given('warm-up', values.quick || values.calls ? undefined : 30),
  calls: given('calls', undefined),
  pace: given('pace', undefined),
  connections: 16,
  isQuick: values.quick,
  nodeOptions: values.node,
  against: values.against && resolve(values.against),
};

// A server closes a connection that is asked more seldom.
if (options.pace !== undefined && !(options.pace >= options.connections))
  throw new Error(`--pace: at least ${options.connections} calls a second, one for each connection`);

function chosenRows() {
  const unknown = values.row?.find((name) => !ROWS[name]);
  if (unknown) throw new Error(`no row ${unknown}: ${Object.keys(ROWS).join(', ')}`);
  const names = Object.keys(DEFAULT_ROWS);
  return values.row ?? (values.quick ? names.slice(0, QUICK_ROWS) : names);
}

const machine = () => ({
  at: new Date().toISOString(),
  node: process.version,
  kernel: release(),
  processors: `${cpus().length} × ${cpus()[0].model}`,
  memoryGB: Math.round(totalmem() / 2 ** 30),
  loadBefore: loadavg()[0],
  ...options,
});

/** One row, with all of its servers. */
async function measureRow(name, ground) {
  const stage = openStage({ ...ground, options });
  try {
    const lines = await ROWS[name](stage);
    return lines.map((line) => ({ row: name, ...line, reached: line.compared && reachedOf(line.compared) }));
  } finally {
    await stage.close();
  }
}

function writeResults(described, rows) {
  const results = fileURLToPath(new URL('results', import.meta.url));
  mkdirSync(results, { recursive: true });
  const file = join(results, `${values.name ?? described.at.slice(0, 10)}.json`);
  writeFileSync(file, `${JSON.stringify({ machine: described, rows }, null, 2)}\n`);
}

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const described = machine();
const rows = [];
let failed = 0;
try {
  const filled = new Map();
  for (const name of chosenRows()) {
    // What another row measured must not be lost with this one.
    const lines = await measureRow(name, { folder, filled }).catch((error) => {
      failed += 1;
      console.error(`the row ${name} failed:`, error);
      return [];
    });
    rows.push(...lines);
    if (!values.quick) writeResults(described, rows);
  }
  console.log(tableOf(rows));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
