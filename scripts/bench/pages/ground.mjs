// The filled installation whose pages are measured. It is made once a day for each database, left to the bridge until that
// has worked through all tokens, and kept. On SQLite each run works on a copy.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { register } from 'tsx/esm/api';
import { run, script } from '../process.mjs';
import { settingsOf } from '../size/ground.mjs';
import { startBridge, untilAtRest } from './bridge.mjs';

const FILLED = 'filled';
const COPY = 'copied';

/** PostgreSQL of its own; SQLite needs none. */
async function startDatabase(kind, folder) {
  if (kind !== 'postgres') return { isServer: false, settings: {}, stop: () => {}, pids: () => [] };
  const unregister = register();
  const { startPostgres } = await import('../../../test/support/database/postgres.ts');
  await unregister();
  const server = await startPostgres({ fsync: true, folder: join(folder, 'postgres') });
  const client = new pg.Client(server.url);
  await client.connect();
  const { rowCount } = await client.query('select from pg_database where datname = $1', [FILLED]);
  if (rowCount === 0) await client.query(`create database ${FILLED}`);
  await client.end();
  return {
    isServer: true,
    settings: { DATABASE_URL: server.url.replace(/postgres$/, FILLED) },
    stop: () => server.stop(),
    pids: () => [
      Number(readFileSync(join(server.folder, 'data', 'postmaster.pid'), 'utf8').split('\n', 1)[0]),
    ],
  };
}

/**
 * Nobody answers there, at once. Without a mail server no mail is planned: on its first day such an installation has mails
 * for 300,000 people, and would try to send them as long as no server takes them.
 */
const OTHERS = {
  SMTP_URL: undefined,
  MAIL_FROM: undefined,
  LEGACY_BACKEND_URL: 'http://127.0.0.1:9',
  MODERN_API_URL: 'http://127.0.0.1:9',
  REMINDER_CRON: '0 0 1 1 *',
};

async function make(ground, { database, tokens }) {
  const varDir = join(ground, FILLED);
  mkdirSync(varDir, { recursive: true });
  const env = await settingsOf(varDir, { ...OTHERS, ...database.settings });
  await run(['dist/program/cli.js', 'keys', 'init'], env);
  await run(['dist/program/cli.js', 'migrate'], env);
  console.error(`filling ${ground} with ${tokens} tokens, once a day`);
  const begun = performance.now();
  await run([script('pages/fill.mjs'), tokens], env);
  console.error(`filled in ${Math.round((performance.now() - begun) / 1000)} s`);
  const bridge = await startBridge(env);
  await untilAtRest(bridge);
  await bridge.stop();
}

/** The installation of today, made where it is missing. */
export async function openGround({ folder, kind, tokens }) {
  const ground = join(folder, `${kind}-${tokens}-${new Date().toISOString().slice(0, 10)}`);
  const making = `${ground}.new`;
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder))
    if (name.startsWith(`${kind}-${tokens}-`) && join(folder, name) !== ground)
      rmSync(join(folder, name), { recursive: true, force: true });
  if (existsSync(ground)) return { ground, database: await startDatabase(kind, ground) };
  mkdirSync(making);
  const database = await startDatabase(kind, making);
  await make(making, { database, tokens });
  await database.stop();
  renameSync(making, ground);
  return { ground, database: await startDatabase(kind, ground) };
}

/**
 * The installation of one run, with the newest schema: its settings, and the cookies of those whose pages are measured. On
 * SQLite it is a copy. On PostgreSQL it is the filled database itself: there the bridge knows a copy, and is not ready on it.
 */
export async function copyOf({ ground, database }) {
  const varDir = join(ground, database.isServer ? FILLED : COPY);
  if (!database.isServer) {
    rmSync(varDir, { recursive: true, force: true });
    cpSync(join(ground, FILLED), varDir, { recursive: true });
  }
  const env = await settingsOf(varDir, { ...OTHERS, ...database.settings });
  await run(['dist/program/cli.js', 'migrate'], env);
  return { env, ...JSON.parse(await run([script('pages/sign-in.mjs')], env)) };
}
