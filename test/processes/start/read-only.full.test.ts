import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type BridgeProcess, startBridgeProcess } from '../../support/bridge/bridge-process.ts';
import { sendRaw } from '../../support/callers/raw-request.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { installTarball, type ProductionInstall } from '../production-install.ts';
import { buildProgram } from '../running-program.ts';

/**
 * The bridge as `deploy/Dockerfile` and `deploy/grantbridge.service` run it, as far as that can be done without them: a user
 * without rights, a program that nobody can write to, and one folder of its own.
 */

const USER = 65_534;

/** `$1` cannot be written to below this, and the rest of the arguments runs as the user. */
const READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && ';
const CONFINED =
  READ_ONLY +
  `exec setpriv --reuid=${USER} --regid=${USER} --clear-groups --no-new-privs --bounding-set=-all "$@"`;

const inside = (script: string, folder: string) => ['--mount', '/bin/sh', '-c', script, 'sh', folder];
const confined = (folder: string) => ['unshare', ...inside(CONFINED, folder)];

const canConfine = spawnSync('unshare', [...confined(tmpdir()).slice(1), 'true']).status === 0;
const testConfined = canConfine ? test : test.skip;

const home = mkdtempSync(join(tmpdir(), 'confined-'));
let install: ProductionInstall;
let bridge: BridgeProcess;

beforeAll(async () => {
  if (!canConfine) return;
  await buildProgram();
  install = installTarball();
  const root = dirname(dirname(install.folder));
  for (const folder of [root, home]) chmodSync(folder, 0o755);
  const VAR_DIR = join(home, 'var');
  mkdirSync(VAR_DIR);
  chownSync(VAR_DIR, USER, USER);
  const PORT = String(await freePort());
  const modern = `http://127.0.0.1:${await freePort()}`;
  const settings = {
    PORT,
    VAR_DIR,
    WORKERS: '2',
    PUBLIC_URL: `http://127.0.0.1:${PORT}`,
    MODERN_AUTH_URL: modern,
    MODERN_API_URL: modern,
    MODERN_CLIENT_ID: 'bridge',
    LOG_LEVEL: 'warn',
  };
  bridge = await startBridgeProcess({ settings, folder: install.folder, under: confined(root) });
}, 300_000);

afterAll(async () => {
  await bridge?.stop();
  install?.remove();
  rmSync(home, { recursive: true, force: true });
});

testConfined('nobody can write to the program, root neither', () => {
  const root = dirname(dirname(install.folder));
  const touch = (script: string) => {
    const run = spawnSync('unshare', [...inside(script, root), 'touch', join(root, 'made')]);
    return String(run.stderr);
  };
  expect(touch(`${READ_ONLY} exec "$@"`)).toContain('Read-only file system');
  expect(touch('shift && exec "$@"')).toBe('');
});

testConfined('it is ready, shows its pages and refuses an unknown token', async () => {
  expect(statSync(`/proc/${bridge.pid()}`).uid).toBe(USER);
  for (const path of ['/ready', '/', '/lifecycle', '/migrate/calls'])
    expect([path, await sendRaw(bridge.url, { path })]).toMatchObject([path, { status: 200 }]);
  const call = await sendRaw(bridge.url, { path: '/1/profiles.json?access_token=1/0123456789abcdef' });
  expect(call.status).toBe(401);
  expect(bridge.complaints()).not.toContain('"level":"error"');
});
