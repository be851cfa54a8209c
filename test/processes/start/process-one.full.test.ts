import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildProgram } from '../running-program.ts';
import { canReadProcesses, childrenOf } from './process-list.ts';

/** The command as the first process of a container: in a space of process ids of its own, where it is process 1. */

const ALONE = ['--user', '--map-root-user', '--pid', '--fork'];
const canStandAlone = canReadProcesses && spawnSync('unshare', [...ALONE, 'true']).status === 0;

/** A database that takes the connection and says nothing keeps a start waiting. */
const silent = createServer((socket) => socket.on('error', () => undefined));
const folder = mkdtempSync(join(tmpdir(), 'process-one-'));

beforeAll(async () => {
  await buildProgram();
  await once(silent.listen(0, '127.0.0.1'), 'listening');
}, 120_000);
afterAll(() => {
  silent.close();
  rmSync(folder, { recursive: true });
});

(canStandAlone ? test : test.skip)(
  'SIGTERM during its start ends it',
  async () => {
    const { port } = silent.address() as AddressInfo;
    const env = {
      PATH: process.env['PATH'],
      VAR_DIR: folder,
      DATABASE_URL: `postgres://bridge@127.0.0.1:${port}/bridge`,
      MODERN_AUTH_URL: 'http://127.0.0.1:9',
      MODERN_API_URL: 'http://127.0.0.1:9',
      MODERN_CLIENT_ID: 'bridge',
    };
    const command = [process.execPath, resolve(import.meta.dirname, '../../../dist/program/cli.js'), 'serve'];
    const outside = spawn('unshare', [...ALONE, ...command], { env, stdio: 'ignore' });
    const ended = once(outside, 'close');
    await once(silent, 'connection');
    for (const pid of childrenOf(outside.pid ?? 0)) process.kill(pid, 'SIGTERM');
    expect(await ended).toEqual([143, null]);
  },
  60_000,
);
