// The servers that a benchmark compares. Each runs in a process of its own, on loopback, with the same tokens and bodies.
import { readFileSync, writeFileSync } from 'node:fs';
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

/** The bridge of one worker, its database filled with this many tokens. `nodeOptions` as for `node --cpu-prof`. */
export async function startBridge(folder, tokens, nodeOptions = []) {
  const env = await settingsOf(folder);
  await run(['dist/program/cli.js', 'keys', 'init'], env);
  await run(['dist/program/cli.js', 'migrate'], env);
  await run([script('fill.mjs'), String(tokens)], env);
  const args = [...nodeOptions, 'dist/program/cli.js', 'serve'];
  const server = await start(args, { env, isReady: (said) => said.includes('is running') });
  while (!(await isReady(env.PORT))) await new Promise((resolve) => setTimeout(resolve, 100));
  return { name: 'bridge', port: env.PORT, ...server };
}

/** What the bridge answers to this token. The peers send the same bytes. */
export async function bodyOf({ port }, token) {
  const headers = { 'X-Forwarded-Proto': 'https', Authorization: `Bearer ${token}` };
  const answer = await fetch(`http://127.0.0.1:${port}/1/profiles.json`, { headers });
  if (answer.status !== 200) throw new Error(`the bridge answers ${answer.status}: ${await answer.text()}`);
  return answer.text();
}

const PEERS = { 'Express 5': 'peers/express.mjs', 'node:http': 'peers/node-http.mjs' };

/** Both peers, over one table of the same tokens. */
export async function startPeers(folder, body) {
  const [database, bodyFile] = [join(folder, 'peers.db'), join(folder, 'body.json')];
  writeFileSync(bodyFile, body);
  await run([script('peers/fill.mjs'), database, join(folder, 'tokens.txt')]);
  const names = Object.keys(PEERS);
  const env = { NODE_ENV: 'production' };
  return Promise.all(
    names.map(async (name) => {
      const args = [script(PEERS[name]), database, bodyFile];
      const server = await start(args, { env, isReady: (said) => said.endsWith('\n') });
      return { name, port: server.output.trim(), ...server };
    }),
  );
}

export const firstToken = (folder) => readFileSync(join(folder, 'tokens.txt'), 'utf8').split('\n', 1)[0];
