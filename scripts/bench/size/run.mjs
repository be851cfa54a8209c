// `npm run bench:size -- [ROW…]`: what a million tokens and 367,000 people cost. Prints each figure beside its goal, and
// writes it with the machine to `scripts/bench/results/`. The filled installation is made once and kept in `--folder`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openGround } from './ground.mjs';
import { importRow } from './import.mjs';
import { lookupRow } from './lookup.mjs';
import { gapRow, planRow, startRow, stopRow } from './rows.mjs';

const ROWS = {
  plan: planRow,
  gap: gapRow,
  stop: stopRow,
  start: startRow,
  import: importRow,
  lookup: lookupRow,
};
/** Only on request: ten million tokens take half an hour and six gigabytes. */
const ON_REQUEST = new Set(['lookup']);
const FILLED = new Set(['plan', 'gap', 'stop', 'start']);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tokens: { type: 'string', default: '1000000' },
    lookups: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '1' },
    folder: { type: 'string', default: join(tmpdir(), 'grantbridge-size') },
    name: { type: 'string' },
  },
});
const folder = values.folder;
const [tokens, lookups, rounds] = [values.tokens, values.lookups, values.rounds].map(Number);
const names =
  positionals.length > 0 ? positionals : Object.keys(ROWS).filter((name) => !ON_REQUEST.has(name));
const unknown = names.filter((name) => !Object.hasOwn(ROWS, name));
if (unknown.length > 0) throw new Error(`no such row: ${unknown.join(', ')}`);

const machine = {
  at: new Date().toISOString(),
  node: process.version,
  kernel: release(),
  processors: `${cpus().length} × ${cpus()[0].model}`,
  memoryGB: Math.round(totalmem() / 2 ** 30),
  loadBefore: loadavg()[0],
  tokens,
};

const shown = (number) => (Number.isInteger(number) ? String(number) : number.toFixed(number < 10 ? 2 : 0));

function print({ what, figure, goal, unit }) {
  const verdict = goal === undefined ? '' : `  goal ${goal}  ${figure <= goal ? 'reached' : 'MISSED'}`;
  console.log(`${what.padEnd(52)} ${shown(figure).padStart(8)} ${unit.padEnd(3)}${verdict}`);
}

const results = {};
for (const name of names) {
  mkdirSync(folder, { recursive: true });
  const ground = FILLED.has(name) ? await openGround(folder, tokens) : undefined;
  const row = await ROWS[name]({ ground, folder, tokens, lookups, rounds });
  for (const line of row.lines) print(line);
  results[name] = row;
}
const place = fileURLToPath(new URL('../results', import.meta.url));
mkdirSync(place, { recursive: true });
const file = join(place, `${values.name ?? `size-${machine.at.slice(0, 10)}`}.json`);
writeFileSync(file, `${JSON.stringify({ machine, rows: results }, null, 2)}\n`);
process.exit(0);
