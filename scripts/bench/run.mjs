// `npm run bench [-- --quick]`: what a cached read costs the bridge, beside peers that answer the same calls with the same
// bytes. Rounds of all contenders follow each other, in the reversed order each time, so that what else the machine does
// meets all of them. Prints one table, and writes it with the machine to `scripts/bench/results/`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bodyOf, firstToken, startBridge, startPeers } from './contenders.mjs';
import { ratios, summary, tableOf } from './figures.mjs';
import { cpuOf, memoryOf, run, script } from './process.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    tokens: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    name: { type: 'string' },
  },
});
const TOKENS = Number(values.tokens ?? (values.quick ? 5000 : 100_000));
const ROUNDS = Number(values.rounds ?? (values.quick ? 2 : 5));
const SECONDS = Number(values.seconds ?? (values.quick ? 2 : 5));
const CONNECTIONS = 16;
const CARRIERS = ['header', 'query', 'body'];

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const tokensFile = join(folder, 'tokens.txt');

/** One round of one contender. */
async function measure({ pid, port }, { carrier, seconds = SECONDS }) {
  const before = cpuOf(pid);
  const args = [script('load.mjs'), port, tokensFile, carrier, String(seconds), String(CONNECTIONS)];
  const { calls, failures, p50, p99 } = JSON.parse(await run(args));
  if (failures > 0) throw new Error(`${failures} of ${calls} calls failed`);
  const cpu = ((cpuOf(pid) - before) * 1000) / calls;
  return { cpu, rate: calls / seconds, p50, p99, memory: memoryOf(pid) };
}

async function compare(contenders, carrier) {
  for (const contender of contenders) await measure(contender, { carrier, seconds: SECONDS / 2 });
  const rounds = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? contenders : contenders.toReversed();
    for (const contender of order) rounds.get(contender.name).push(await measure(contender, { carrier }));
  }
  return [...rounds].map(([contender, all]) => ({
    work: `profiles.json, fresh, ${carrier}`,
    contender,
    figures: summary(all),
    ratio: contender === 'bridge' ? undefined : ratios(all, rounds.get('bridge')),
  }));
}

const machine = {
  at: new Date().toISOString(),
  node: process.version,
  kernel: release(),
  processors: `${cpus().length} × ${cpus()[0].model}`,
  memoryGB: Math.round(totalmem() / 2 ** 30),
  loadBefore: loadavg()[0],
  tokens: TOKENS,
  rounds: ROUNDS,
  seconds: SECONDS,
  connections: CONNECTIONS,
};

const servers = [];
try {
  servers.push(await startBridge(folder, TOKENS));
  servers.push(...(await startPeers(folder, await bodyOf(servers[0], firstToken(folder)))));
  // Each token was read before: the bridge keeps the text that it told, as it does for every program that comes again.
  await run([script('load.mjs'), servers[0].port, tokensFile, 'header', 'once', String(CONNECTIONS)]);
  const rows = [];
  for (const carrier of CARRIERS) rows.push(...(await compare(servers, carrier)));
  console.log(tableOf(rows));
  const name = values.name ?? machine.at.slice(0, 10);
  const results = fileURLToPath(new URL('results', import.meta.url));
  mkdirSync(results, { recursive: true });
  const text = `${JSON.stringify({ machine, rows }, null, 2)}\n`;
  if (!values.quick) writeFileSync(join(results, `${name}.json`), text);
} finally {
  await Promise.allSettled(servers.map(({ stop }) => stop()));
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
