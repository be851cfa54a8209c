// The filled installation whose pages are measured. It is made once a day for each database, left to the bridge until that
// has worked through all tokens, and kept; each run works on a copy.
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
  if (kind !== 'postgres') return { settings: () => ({}), stop: () => {}, pids: () => [] };
  const unregister = register();
  const { startPostgres } = await import('../../../test/support/database/postgres.ts');
  await unregister();
  const server = await startPostgres({ fsync: true, folder: join(folder, 'postgres') });
  const onServer = async (...statements) => {
    const client = new pg.Client(server.url);
    await client.connect();
    const answers = [];
    for (const statement of statements) answers.push(await client.query(statement));
    await client.end();
    return answers;
  };
  const [{ rows: names }] = await onServer('select datname from pg_database');
  if (!names.some(({ datname }) => datname === FILLED)) await onServer(`create database ${FILLED}`);
  return {
    settings: (name) => ({ DATABASE_URL: server.url.replace(/postgres$/, name) }),
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
  const env = await settingsOf(varDir, { ...OTHERS, ...database.settings(FILLED) });
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
 * A copy for one run, with the newest schema; its settings, and the cookies of those whose pages are measured. On PostgreSQL
 * it is the filled database itself: the bridge knows a copied one for a copy and does not serve it as the original.
 */
export async function copyOf({ ground, database }) {
  const isOnServer = database.pids().length > 0;
  const varDir = join(ground, isOnServer ? FILLED : COPY);
  if (!isOnServer) {
    rmSync(varDir, { recursive: true, force: true });
    cpSync(join(ground, FILLED), varDir, { recursive: true });
  }
  const env = await settingsOf(varDir, { ...OTHERS, ...database.settings(FILLED) });
  await run(['dist/program/cli.js', 'migrate'], env);
  return { env, ...JSON.parse(await run([script('pages/sign-in.mjs')], env)) };
}
