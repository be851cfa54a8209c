// `node scripts/bench/anonymous-flood.mjs [MINUTES] [WHICH]` after a build: one machine floods what anybody may ask for, over
// eight connections, while a program reads its profiles. Each minute of flood follows a quiet one, so that what else the
// machine does meets both. Starts the whole system in processes and a folder of its own, and says how many requests were
// served and refused, by how much the databases grew, and how long the reads of the program took. The limits begin anew
// each minute, so that an hour is sixty times the mean minute.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Sqlite } from '../../dist/shared/sqlite.js';

const MINUTES = Number(process.argv[2] ?? 1);
const MINUTE = 60_000;
const CONNECTIONS = 8;
/** Too long a state, and too many requests. */
const REFUSED = new Set([400, 429]);
const READ_EVERY_MS = 50;
const root = fileURLToPath(new URL('../..', import.meta.url));

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(String(port)));
    });
  });
}

async function startSystem(varDir) {
  const [PORT, MODERN_PORT, DEMO_PORT] = [await freePort(), await freePort(), await freePort()];
  const ports = { PORT, MODERN_PORT, DEMO_PORT, DEMO_OLD_API_PORT: '0' };
  const env = { ...process.env, ...ports, VAR_DIR: varDir, LOG_LEVEL: 'error' };
  const child = spawn(process.execPath, ['dist/program/main.js'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 2],
  });
  let said = '';
  child.stdout.on('data', (part) => (said += part));
  while (!said.includes('Stop with Ctrl-C.')) {
    if (child.exitCode !== null) throw new Error(`the system ended: ${said}`);
    await pause(50);
  }
  const printed = (label) => new RegExp(`^ *${label}:? +(\\S+)`, 'm').exec(said)?.[1];
  return {
    child,
    url: new URL(printed('bridge')),
    clientId: printed('demo client_id'),
    token: printed('demo token'),
  };
}

/** One answer, its time and its cookies. */
function send({ url, agent }, { method = 'GET', path, headers = {}, body }) {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: url.port, method, path, headers, agent };
    const sent = request(options, (answer) => {
      let text = '';
      answer.on('data', (part) => (text += part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, text, ms: performance.now() - begun }),
      );
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** An authorization request of the demo app, which shows its code on a page. */
const authorizePath = (clientId, stateLength) =>
  `/oauth2/authorize?client_id=${clientId}&redirect_uri=urn:ietf:wg:oauth:2.0:oob&response_type=code&state=${'s'.repeat(stateLength)}`;

/** Every way in which a stranger writes or begins something; the last one also decides, and so keeps a row. */
const FLOODS = {
  'authorize, state 2 kB': (at, clientId) => send(at, { path: authorizePath(clientId, 2000) }),
  'authorize, state 15 kB': (at, clientId) => send(at, { path: authorizePath(clientId, 15000) }),
  'sign-in': (at) => send(at, { path: '/sign-in' }),
  'authorize, open and allow, state 2 kB': async (at, clientId) => {
    const started = await FLOODS['authorize, state 2 kB'](at, clientId);
    if (started.status !== 302) return started;
    const path = new URL(started.headers.location).pathname;
    const page = await send(at, { path });
    if (page.status !== 200) return page;
    const cookie = page.headers['set-cookie'][0].split(';')[0];
    const field = /name="_form" value="([^"]+)"/.exec(page.text)[1];
    const body = new URLSearchParams({ _form: field, decision: 'allow' }).toString();
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
    return send(at, { method: 'POST', path, headers, body });
  },
};

/** The bytes of both databases, with what waits in their journals written to them. */
function sizeOf(folder) {
  const files = readdirSync(folder).filter((name) => /^bridge.*\.db$/.test(name));
  return files.reduce((sum, name) => {
    const file = join(folder, name);
    const database = new Sqlite(file, { timeout: 5000 });
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
    return sum + statSync(file).size;
  }, 0);
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** A program that reads its profiles for a while, as evenly as old integrations do. */
async function readBeside({ url, token }, until) {
  const at = { url, agent: new Agent({ keepAlive: true, maxSockets: 1 }) };
  const times = [];
  while (performance.now() < until) {
    const { status, ms } = await send(at, {
      path: `/1/profiles.json?access_token=${encodeURIComponent(token)}`,
    });
    times.push({ status, ms });
    await pause(READ_EVERY_MS);
  }
  at.agent.destroy();
  return times.map(({ ms }) => ms);
}

async function flood({ url, clientId }, work, until) {
  const counts = { served: 0, refused: 0 };
  const connection = async () => {
    const at = { url, agent: new Agent({ keepAlive: true, maxSockets: 1 }) };
    while (performance.now() < until) {
      const { status } = await work(at, clientId);
      if (status !== 302 && !REFUSED.has(status)) throw new Error(`the flood met ${status}`);
      counts[REFUSED.has(status) ? 'refused' : 'served'] += 1;
    }
    at.agent.destroy();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return counts;
}

/** The flood in a thread of its own: the reads beside it wait for the bridge, and not for who floods it. */
function floodBeside({ url, clientId }, name, duration) {
  const given = { href: url.href, clientId, name, duration };
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: given });
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}

const figure = (number) => number.toFixed(2).padStart(8);

const percent = (before, after) => `${((after / before - 1) * 100).toFixed(0)} %`.padStart(6);

/** How long the reads took beside nothing and beside the flood. */
function reads(quiet, flooded) {
  const change = (name, of) =>
    `${name} ${figure(of(quiet))} -> ${figure(of(flooded))} ms (${percent(of(quiet), of(flooded))})`;
  return `${change('median', median)}, ${change('mean', mean)}`;
}

/** A quiet minute and one of the flood; the first limits of the minute before are over by then. */
async function measureMinute(system, name, { varDir, sums }) {
  const quiet = await readBeside(system, performance.now() + MINUTE);
  const before = sizeOf(varDir);
  const until = performance.now() + MINUTE;
  const [counts, flooded] = await Promise.all([floodBeside(system, name, MINUTE), readBeside(system, until)]);
  console.log(`  a minute: ${reads(quiet, flooded)}`);
  sums.grown += (sizeOf(varDir) - before) / 1e6;
  sums.served += counts.served;
  sums.refused += counts.refused;
  sums.quiet.push(...quiet);
  sums.flooded.push(...flooded);
}

async function measure(name) {
  const varDir = mkdtempSync(join(tmpdir(), 'flood-'));
  const system = await startSystem(varDir);
  const sums = { grown: 0, served: 0, refused: 0, quiet: [], flooded: [] };
  try {
    console.log(name);
    await readBeside(system, performance.now() + 3000);
    for (let minute = 0; minute < MINUTES; minute += 1) await measureMinute(system, name, { varDir, sums });
    const { served, refused, grown, quiet, flooded } = sums;
    console.log(
      `  served ${served}, refused ${refused}, grown ${figure(grown)} MB, an hour ${figure((grown * 60) / MINUTES)} MB\n` +
        `  reads: ${reads(quiet, flooded)}`,
    );
  } finally {
    system.child.kill('SIGTERM');
    await new Promise((resolve) => system.child.once('exit', resolve));
    rmSync(varDir, { recursive: true, force: true });
  }
}

if (isMainThread) {
  const chosen = process.argv[3];
  for (const name of Object.keys(FLOODS))
    if (chosen === undefined || name.includes(chosen)) await measure(name);
} else {
  const { href, name, clientId, duration } = workerData;
  const until = performance.now() + duration;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads knows no origins
  parentPort.postMessage(await flood({ url: new URL(href), clientId }, FLOODS[name], until));
}
