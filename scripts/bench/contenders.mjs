// The servers that a benchmark compares. Each runs in processes of its own, on loopback.
import { copyFileSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { run, script, start } from './process.mjs';

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(String(port)));
    });
  });
}

/** The settings of a production on one machine. Answers stay fresh, and no call is refused for its number. */
async function settingsOf(folder) {
  return {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://bridge.example',
    PORT: await freePort(),
    VAR_DIR: folder,
    KEYS_FILE: join(folder, 'keys.json'),
    TRUST_PROXY: '127.0.0.1',
    MODERN_AUTH_URL: 'https://auth.example',
    MODERN_API_URL: 'https://api.example',
    MODERN_CLIENT_ID: 'bridge',
    LEGACY_RATE_LIMIT: '1000000',
    PROFILES_FRESH_SECONDS: '86400',
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'bridge@bridge.example',
    LOG_LEVEL: 'warn',
  };
}

async function isReady(port) {
  const headers = { 'X-Forwarded-Proto': 'https' };
  const answer = await fetch(`http://127.0.0.1:${port}/ready`, { headers }).catch(() => undefined);
  return answer?.status === 200;
}

/** Every bridge of a run has the same keys, which take a while to make. */
async function giveKeys(env) {
  const shared = join(env.VAR_DIR, '..', 'keys.json');
  if (!existsSync(shared)) await run(['dist/program/cli.js', 'keys', 'init'], { ...env, KEYS_FILE: shared });
  copyFileSync(shared, env.KEYS_FILE);
}

/** The settings of a bridge whose database is filled with what is `wanted` (fill.mjs). */
export async function fillBridge(folder, wanted, more = {}) {
  mkdirSync(folder, { recursive: true });
  const env = { ...(await settingsOf(folder)), ...more };
  await giveKeys(env);
  await run([script('fill.mjs'), JSON.stringify(wanted)], env);
  return env;
}

/** The settings of another machine on the same database. */
export async function beside(env, folder) {
  mkdirSync(folder, { recursive: true });
  return { ...env, PORT: await freePort(), VAR_DIR: folder };
}

/** The same database for a bridge of its own. Nobody may have it open. */
export async function copyBridge(env, folder) {
  cpSync(env.VAR_DIR, folder, { recursive: true });
  return { ...env, PORT: await freePort(), VAR_DIR: folder, KEYS_FILE: join(folder, 'keys.json') };
}

const isRunning = (said) => said.includes('is running');

/** A bridge that serves. `nodeOptions` as for `node --cpu-prof`; `checkout` has the build, if it is another one. */
export async function serveBridge(name, env, { nodeOptions = [], checkout } = {}) {
  const args = [...nodeOptions, 'dist/program/cli.js', 'serve'];
  const server = await start(args, { env, isReady: isRunning, cwd: checkout });
  while (!(await isReady(env.PORT))) await new Promise((resolve) => setTimeout(resolve, 100));
  return { name, ports: [env.PORT], pids: [server.pid], folder: env.VAR_DIR, ...server };
}

/** What a contender answers to a request of `requests.mjs` that is a GET with this token. */
export async function bodyOf({ ports: [port] }, path, token) {
  const headers = { 'X-Forwarded-Proto': 'https', Authorization: `Bearer ${token}` };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  if (answer.status !== 200) throw new Error(`the bridge answers ${answer.status}: ${await answer.text()}`);
  return answer.text();
}

/** A peer that writes its port in its first line. */
export async function startPeer(name, program, args) {
  const env = { NODE_ENV: 'production' };
  const server = await start([script(`peers/${program}`), ...args], {
    env,
    isReady: (said) => said.endsWith('\n'),
  });
  return { name, ports: [server.output.trim()], pids: [server.pid], ...server };
}

const WEB_PEERS = { 'Express 5': 'express.mjs', 'node:http': 'node-http.mjs' };

/** Both peers that answer a cached call, over one table of the same tokens, with this body. */
export async function startWebPeers(folder, { tokensFile, body }) {
  const [database, bodyFile] = [join(folder, 'peers.db'), join(folder, `body-${body.length}.json`)];
  writeFileSync(bodyFile, body);
  if (!existsSync(database)) await run([script('peers/fill.mjs'), database, tokensFile]);
  return Promise.all(
    Object.entries(WEB_PEERS).map(([name, program]) => startPeer(name, program, [database, bodyFile])),
  );
}
