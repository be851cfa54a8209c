// `npm run bench:pages -- [--tokens N] [--database sqlite|postgres] [--at-once]`: every page of owners and of support at a
// large installation. Prints for each page the time of 95 of 100 requests and its weight beside their limits. After an
// import the bridge works through all tokens once, for minutes: the pages are opened after that, or with `--at-once` beside it.
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { register } from 'tsx/esm/api';
import { cpuOf, run, script } from '../process.mjs';
import { makeEmpty } from '../size/ground.mjs';
import { ask } from '../size/bridge.mjs';
import { PAGES } from './pages.mjs';

const [MOST_MS, MOST_KB] = [300, 100];
const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '1000000' },
    database: { type: 'string', default: 'sqlite' },
    'at-once': { type: 'boolean', default: false },
    rounds: { type: 'string', default: '20' },
    name: { type: 'string' },
  },
});
const root = fileURLToPath(new URL('../../..', import.meta.url));
const varDir = join(tmpdir(), `grantbridge-pages-${process.pid}`);

async function startPostgres() {
  const unregister = register();
  const { startPostgres: start } = await import('../../../test/support/database/postgres.ts');
  await unregister();
  return start({ fsync: true });
}

const postgres = values.database === 'postgres' ? await startPostgres() : undefined;
const others = { LEGACY_BACKEND_URL: 'http://127.0.0.1:9', ...(postgres && { DATABASE_URL: postgres.url }) };
const env = { ...(await makeEmpty(varDir, others)), ...others };
process.once('exit', () => rmSync(varDir, { recursive: true, force: true }));
console.error(`filling ${values.database} with ${values.tokens} tokens`);
const filledIn = performance.now();
const cookies = JSON.parse(await run([script('pages/fill.mjs'), values.tokens], env));
console.error(`filled in ${Math.round((performance.now() - filledIn) / 1000)} s`);

const child = spawn(process.execPath, ['dist/program/cli.js', 'serve'], {
  cwd: root,
  env: { ...process.env, ...env },
  stdio: ['ignore', 'ignore', 'inherit'],
});
process.once('exit', () => child.kill('SIGKILL'));
while ((await ask(env.PORT, '/ready', { 'X-Forwarded-Proto': 'https' })).status !== 200) await pause(50);

const REST = { everyMs: 1000, times: 5, cpuMs: 50, mostMs: 900_000 };

/** Waits until the bridge does nothing for some seconds. */
async function untilAtRest() {
  const begun = performance.now();
  for (let quiet = 0; quiet < REST.times && performance.now() - begun < REST.mostMs; ) {
    const before = cpuOf(child.pid);
    await pause(REST.everyMs);
    quiet = cpuOf(child.pid) - before <= REST.cpuMs ? quiet + 1 : 0;
  }
  const [seconds, cpu] = [performance.now() - begun, cpuOf(child.pid)].map((ms) => Math.round(ms / 1000));
  console.error(`at rest after ${seconds} s and ${cpu} s of CPU`);
}
if (!values['at-once']) await untilAtRest();

const headersOf = (who) => ({ 'X-Forwarded-Proto': 'https', Cookie: cookies[who], Host: 'bridge.example' });

async function formToken(who) {
  const { text } = await ask(env.PORT, '/support', headersOf(who));
  return /name="_form" value="([^"]+)"/.exec(text)?.[1] ?? '';
}

/** A page, or the answer of a search, which is sent as a form. */
async function open({ who, path, q }) {
  if (q === undefined) return ask(env.PORT, path, headersOf(who));
  const body = new URLSearchParams({ _form: await formToken(who), q }).toString();
  const begun = performance.now();
  const answer = await fetch(`http://127.0.0.1:${env.PORT}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      ...headersOf(who),
      Origin: 'https://bridge.example',
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body,
  });
  const text = await answer.text();
  return { status: answer.status, text, took: performance.now() - begun };
}

async function measure(page) {
  const times = [];
  let last;
  const spentBefore = cpuOf(child.pid);
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const begun = performance.now();
    last = await open(page);
    times.push(last.took ?? performance.now() - begun);
    if (page.q !== undefined) await pause(1000);
  }
  const cpu = (cpuOf(child.pid) - spentBefore) / Number(values.rounds);
  times.sort((one, other) => one - other);
  const at = (share) => times[Math.min(times.length - 1, Math.ceil(times.length * share) - 1)];
  return {
    ...page,
    status: last.status,
    p50: at(0.5),
    p95: at(0.95),
    max: times.at(-1),
    cpu,
    kB: Buffer.byteLength(last.text) / 1000,
  };
}

const results = [];
for (const page of PAGES) {
  const one = await measure(page);
  results.push(one);
  const isGood = one.p95 <= MOST_MS && one.kB <= MOST_KB && one.status < 400;
  const name = `${one.who} ${one.path.replaceAll(/[0-9a-f]{24}/g, (id) => id.slice(0, 4))}${one.what ? ` (${one.what})` : ''}`;
  console.log(
    `${name.padEnd(66)} ${String(one.status)} ${one.p50.toFixed(0).padStart(6)} ${one.p95.toFixed(0).padStart(6)} ms ${one.cpu.toFixed(0).padStart(5)} ms CPU ${one.kB.toFixed(0).padStart(5)} kB${isGood ? '' : '  MISSED'}`,
  );
}
const missed = results.filter(({ p95, kB, status }) => p95 > MOST_MS || kB > MOST_KB || status >= 400);
console.log(`${results.length} pages, ${missed.length} missed; load ${loadavg()[0].toFixed(1)}`);
if (values.name) {
  const place = fileURLToPath(new URL('../results', import.meta.url));
  mkdirSync(place, { recursive: true });
  const about = { at: new Date().toISOString(), node: process.version, ...values, load: loadavg()[0] };
  writeFileSync(join(place, `${values.name}.json`), `${JSON.stringify({ about, results }, null, 2)}\n`);
}
child.kill('SIGTERM');
await postgres?.stop();
process.exit(0);
