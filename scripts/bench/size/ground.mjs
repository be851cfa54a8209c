// The filled installation of the rows about size. It is made once and kept; each row works on a copy.
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Sqlite } from '../../../dist/shared/sqlite.js';
import { run, script } from '../process.mjs';
import { sizeOf, writePeople } from './people.mjs';

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(String(port)));
    });
  });
}

/** The settings of a production with one worker on SQLite, whose new API is away: answers stay fresh. */
export async function settingsOf(varDir, others = {}) {
  return {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://bridge.example',
    PORT: await freePort(),
    VAR_DIR: varDir,
    KEYS_FILE: join(varDir, 'keys.json'),
    TRUST_PROXY: '127.0.0.1',
    MODERN_AUTH_URL: 'https://auth.example',
    MODERN_API_URL: 'https://api.example',
    MODERN_CLIENT_ID: 'bridge',
    LEGACY_RATE_LIMIT: '1000000',
    PROFILES_FRESH_SECONDS: '86400',
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'bridge@bridge.example',
    LOG_LEVEL: 'error',
    METRICS_TOKEN: 'a-token-of-the-benchmark',
    DRAIN_SECONDS: '0',
    ...others,
  };
}

/** An empty installation: keys and the newest schema. */
export async function makeEmpty(varDir, others = {}) {
  const env = await settingsOf(varDir, others);
  mkdirSync(varDir, { recursive: true });
  await run(['dist/program/cli.js', 'keys', 'init'], env);
  await run(['dist/program/cli.js', 'migrate'], env);
  return env;
}

/** The file of people, written once. */
export async function peopleFile(folder, tokens) {
  const path = join(folder, `people-${tokens}.ndjson`);
  if (existsSync(path)) return path;
  await writePeople(`${path}.new`, sizeOf(tokens), Math.floor(Date.now() / 1000) - 600);
  renameSync(`${path}.new`, path);
  return path;
}

async function make(ground, tokens) {
  const making = `${ground}.new`;
  rmSync(making, { recursive: true, force: true });
  const env = await makeEmpty(join(making, 'sealed'));
  console.error(`filling ${ground} with ${tokens} tokens, once`);
  await run([script('size/fill.mjs'), String(tokens)], env);
  await run([script('size/enrich.mjs'), String(tokens)], env);
  cpSync(join(making, 'sealed'), join(making, 'imported'), { recursive: true });
  const db = new Sqlite(join(making, 'imported', 'bridge.db'));
  db.pragma('synchronous = OFF');
  db.exec('update events set position = null, chain = null');
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  renameSync(making, ground);
}

/** Makes the installation where it is missing; its folder. */
export async function openGround(folder, tokens) {
  mkdirSync(folder, { recursive: true });
  const ground = join(folder, `ground-${tokens}`);
  if (!existsSync(ground)) await make(ground, tokens);
  return ground;
}

/**
 * A copy for one run, with the newest schema: `imported` with a history that waits to be chained, `sealed` without.
 */
export async function copyOf(ground, kind) {
  const varDir = join(ground, 'run', kind);
  rmSync(varDir, { recursive: true, force: true });
  cpSync(join(ground, kind), varDir, { recursive: true });
  await run(['dist/program/cli.js', 'migrate'], await settingsOf(varDir));
  return varDir;
}
