// Programs of the bridge in a row about size: each is watched from inside (watch.mjs) and ended by the row.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Sqlite } from '../../../dist/shared/sqlite.js';
import { script } from '../process.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));

function startWatched(args, env) {
  const file = join(env.VAR_DIR, 'watched.json');
  rmSync(file, { force: true });
  const all = ['--import', script('size/watch.mjs'), ...(env.NODE_ARGS?.split(' ') ?? []), ...args];
  const child = spawn(process.execPath, all, {
    cwd: root,
    env: { ...process.env, ...env, WATCH_FILE: file },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // A benchmark that fails leaves no program behind.
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(([code]) => code);
  return {
    child,
    ended,
    watched: () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined),
  };
}

/** Runs a program to its end, its output in a file. What it took, and when the first byte of its output came. */
export async function runWatched(args, env, output) {
  const begun = performance.now();
  const { child, ended, watched } = startWatched(args, env);
  let firstByte;
  child.stdout.once('data', () => (firstByte = performance.now() - begun));
  const written = once(child.stdout.pipe(createWriteStream(output)), 'close');
  const code = await ended;
  await written;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return { ...watched(), seconds: (performance.now() - begun) / 1000, firstByte: (firstByte ?? 0) / 1000 };
}

/** One answer of the bridge; the status 0 while it does not listen. */
export function ask(port, path, headers = {}) {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, path, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => (text += part));
      answer.once('end', () => resolve({ status: answer.statusCode, text }));
    });
    sent.once('error', () => resolve({ status: 0, text: '' }));
    sent.end();
  });
}

/** One read of a token. */
export const readProfiles = (port, token) =>
  ask(port, '/1/profiles.json', { 'X-Forwarded-Proto': 'https', Authorization: `Bearer ${token}` });

/** Starts the bridge; ready once it answers the read of a token. */
export async function startBridge(env) {
  const begun = performance.now();
  const { child, ended, watched } = startWatched(['dist/program/cli.js', 'serve'], env);
  child.stdout.resume();
  const token = readFileSync(join(env.VAR_DIR, 'tokens.txt'), 'utf8').split('\n', 1)[0];
  while ((await readProfiles(env.PORT, token)).status !== 200) {
    if (child.exitCode !== null) throw new Error('the bridge ended at its start');
    await pause(20);
  }
  const servesAfter = (performance.now() - begun) / 1000;
  const stop = async () => {
    const stopping = performance.now();
    child.kill('SIGTERM');
    const code = await ended;
    return { code, seconds: (performance.now() - stopping) / 1000, watched: watched() };
  };
  return { port: env.PORT, pid: child.pid, servesAfter, stop };
}

/** The figures of `/metrics`, each by its name with its labels. */
export async function metricsOf(env) {
  const headers = { 'X-Forwarded-Proto': 'https', Authorization: `Bearer ${env.METRICS_TOKEN}` };
  const { text } = await ask(env.PORT, '/metrics', headers);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

/** Whether a bridge does a work now, by the lease that it holds. */
export function isUnderWay(varDir, name) {
  const db = new Sqlite(join(varDir, 'bridge-volatile.db'), { readonly: true, timeout: 5000 });
  const held = db.prepare('select 1 from leases where name = ? and until > ?').get(name, Date.now());
  db.close();
  return held !== undefined;
}

const LONG_WORK = ['keep-progress', 'plan-reminders', 'keep-moving-calls'];

const successOf = (metrics, task) =>
  metrics.get(`grantbridge_job_last_success_timestamp_seconds{task="${task}"}`);

/** A work of a small installation may end before anybody looks. */
const LOOKED_FOR = 30_000;

/**
 * Begins to watch a bridge that has just started. The returned function tells whether the bridge has counted, planned
 * and chained everything since then.
 */
export async function watchWork(env) {
  const begun = Date.now();
  const first = await metricsOf(env);
  return async () => {
    const metrics = await metricsOf(env);
    const isOver = (task) =>
      successOf(metrics, task) > successOf(first, task) ||
      (Date.now() - begun > LOOKED_FOR && !isUnderWay(env.VAR_DIR, `job ${task}`));
    return LONG_WORK.every(isOver) && metrics.get('grantbridge_history_unsealed_entries') === 0;
  };
}
