import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../../support/servers/free-port.ts';
import { until } from '../../support/servers/held-answer.ts';
import { sendRaw } from '../../support/callers/raw-request.ts';
import { add, run } from './operator-command.ts';
import { buildProgram, type Settings } from '../running-program.ts';

/** Commands of root (sudo) in the folder of a bridge that runs as another user. */

const BRIDGE = { uid: 65_534, gid: 65_534 };
const program = resolve(import.meta.dirname, '../../../dist/program/cli.js');
const folder = mkdtempSync(join(tmpdir(), 'owners-'));
const running: ChildProcess[] = [];

const environment = (settings: Settings) => ({ PATH: process.env['PATH'], ...settings });

function runAsBridge(settings: Settings, ...args: string[]) {
  const options = { ...BRIDGE, env: environment(settings), encoding: 'utf8' } as const;
  return spawnSync(process.execPath, [program, ...args], options);
}

async function place(name: string): Promise<Settings> {
  const home = join(folder, name);
  mkdirSync(home);
  chownSync(home, BRIDGE.uid, BRIDGE.gid);
  const PORT = String(await freePort());
  const modern = `http://127.0.0.1:${await freePort()}`;
  return {
    VAR_DIR: join(home, 'var'),
    PORT,
    PUBLIC_URL: `http://127.0.0.1:${PORT}`,
    MODERN_AUTH_URL: modern,
    MODERN_API_URL: modern,
    MODERN_CLIENT_ID: 'bridge',
    LOG_LEVEL: 'warn',
  };
}

/** Everything in a place that is not the bridge's. */
const foreignIn = (settings: Settings) => {
  const home = join(settings['VAR_DIR'] ?? '', '..');
  return (readdirSync(home, { recursive: true }) as string[]).filter(
    (name) => statSync(join(home, name)).uid !== BRIDGE.uid || statSync(join(home, name)).gid !== BRIDGE.gid,
  );
};

const mayRun = spawnSync(process.execPath, [program, '--version'], BRIDGE).status === 0;
const testAsRoot = process.getuid?.() === 0 && mayRun ? test : test.skip;

beforeAll(async () => {
  await buildProgram();
  spawnSync('chmod', ['755', folder]);
});

afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

testAsRoot('a command of a user without rights says which file is kept from it, and what to do', async () => {
  const settings = await place('kept');
  const home = join(settings['VAR_DIR'] ?? '', '..');
  const keys = join(home, 'var', 'keys.json');
  const said = (...args: string[]) => runAsBridge(settings, ...args).stderr;
  expect(runAsBridge(settings, 'migrate').status).toBe(0);

  chmodSync(keys, 0o400);
  expect(said('keys', 'add')).toContain('may not write to the file or to its folder');
  chmodSync(keys, 0o000);
  const production = { ...settings, NODE_ENV: 'production', PUBLIC_URL: 'https://bridge.example' };
  const { stderr } = runAsBridge(production, 'apps', 'list');
  expect(stderr).toContain(`${keys} may not be read by this user. Run the command as the user that runs`);
  expect(stderr).not.toContain('keys init');
  chmodSync(keys, 0o600);

  const closed = join(folder, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  const target = join(closed, 'backup.db');
  expect(said('backup', target)).toBe(
    `${target} could not be written: this user may not write to the folder\n`,
  );

  for (const mode of [0o400, 0o000]) {
    for (const name of readdirSync(join(home, 'var')))
      if (name.includes('.db')) chmodSync(join(home, 'var', name), mode);
    expect(said('apps', 'list')).toMatch(/database( file)?\. If this user may not read and write the files/);
  }
});

testAsRoot('what they make belongs to the owner of the folder, and the bridge can work with it', async () => {
  const settings = await place('made');
  const backup = join(settings['VAR_DIR'] ?? '', '..', 'backup.db');
  for (const args of [
    ['migrate'],
    add('App', 'https://app.example/callback', 'o@app.example'),
    ['backup', backup],
    ['restore', backup, '--take-over'],
    ['keys', 'add'],
    ['history', 'export', '--output', join(settings['VAR_DIR'] ?? '', '..', 'history.ndjson')],
  ])
    expect(await run(settings, ...args)).toMatchObject({ code: 0 });
  expect(foreignIn(settings)).toEqual([]);
  expect(readdirSync(settings['VAR_DIR'] ?? '')).toEqual(
    expect.arrayContaining(['bridge.db', 'epoch.json', 'history-anchors.ndjson', 'keys.json']),
  );
  expect(runAsBridge(settings, 'apps', 'list')).toMatchObject({ status: 0, stderr: '' });
});

testAsRoot('a memory that the bridge may not read refuses its start in words', async () => {
  const settings = await place('unreadable');
  await run(settings, 'migrate');
  await run(settings, ...add('App', 'https://app.example/callback', 'o@app.example'));
  chownSync(join(settings['VAR_DIR'] ?? '', 'epoch.json'), 0, 0);
  const { status, stderr } = runAsBridge(settings, 'serve');
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(
      /^VAR_DIR: this user may not read .*epoch\.json: give the folder and all files in it to the user that runs the bridge/,
    ) as string,
  });
});

testAsRoot('a take-over says so where VAR_DIR cannot be made to remember the database', async () => {
  const settings = await place('unadoptable');
  const { VAR_DIR = '' } = settings;
  const inPlace = (name: string) => join(VAR_DIR, '..', name);
  const first = { ...settings, DATABASE_URL: `sqlite:${inPlace('first/bridge.db')}` };
  const other = { ...settings, DATABASE_URL: `sqlite:${inPlace('other/bridge.db')}` };
  mkdirSync(VAR_DIR);
  for (const made of ['first', 'other']) {
    mkdirSync(inPlace(made));
    chownSync(inPlace(made), BRIDGE.uid, BRIDGE.gid);
  }
  chownSync(VAR_DIR, BRIDGE.uid, BRIDGE.gid);
  expect(runAsBridge(first, 'migrate')).toMatchObject({ status: 0, stderr: '' });
  cpSync(VAR_DIR, inPlace('of-other'), { recursive: true, filter: (path) => !path.endsWith('epoch.json') });
  spawnSync('chown', ['-R', `${BRIDGE.uid}:${BRIDGE.gid}`, inPlace('of-other')]);
  expect(runAsBridge({ ...other, VAR_DIR: inPlace('of-other') }, 'migrate')).toMatchObject({ status: 0 });
  const takeOver = () => runAsBridge(other, 'restore', '--take-over', '--replace-original');

  chmodSync(VAR_DIR, 0o755);
  chownSync(VAR_DIR, 0, 0);
  expect(takeOver()).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('Nothing was changed: VAR_DIR/epoch.json cannot be written.') as string,
  });
  chownSync(VAR_DIR, BRIDGE.uid, BRIDGE.gid);
  expect(takeOver()).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`From now on VAR_DIR (${VAR_DIR}) belongs to this database.`) as string,
  });
});

testAsRoot('a bridge whose memory cannot be written any more serves on, and is not ready', async () => {
  const settings = await place('unwritable');
  const { VAR_DIR = '', PUBLIC_URL = '' } = settings;
  runAsBridge(settings, 'migrate');
  const child = spawn(process.execPath, [program, 'serve'], {
    ...BRIDGE,
    env: environment(settings),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.push(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ready = () => sendRaw(PUBLIC_URL, { path: '/ready' });
  await until(async () => (await ready().catch(() => undefined))?.status === 200);
  // In this order, for between the two the bridge may still look at its keys.
  chmodSync(VAR_DIR, 0o755);
  chownSync(VAR_DIR, 0, 0);
  const raise =
    "const [sqlite, file] = process.argv.slice(1); import(sqlite).then(({ Sqlite }) => new Sqlite(file).exec('update instance set epoch = epoch + 1'))";
  const sqlite = resolve(import.meta.dirname, '../../../dist/shared/sqlite.js');
  expect(spawnSync(process.execPath, ['-e', raise, sqlite, join(VAR_DIR, 'bridge.db')]).status).toBe(0);
  await until(async () => (await ready()).text.includes('VAR_DIR/epoch.json cannot be written'));
  expect((await sendRaw(PUBLIC_URL, { path: '/health' })).status).toBe(200);
  expect(said).not.toContain('ALARM');
  chownSync(VAR_DIR, BRIDGE.uid, BRIDGE.gid);
  await until(async () => (await ready()).status === 200);
});

testAsRoot(
  'what a killed dry run left keeps no import and no start, and of a new one the bridge removes it',
  async () => {
    const settings = await place('dry-run');
    const { VAR_DIR = '', PUBLIC_URL = '' } = settings;
    const imports = join(VAR_DIR, 'imports');
    runAsBridge(settings, 'migrate');
    const file = join(VAR_DIR, '..', 'rows.ndjson');
    const rows = Array.from({ length: 200_000 }, (_, n) => ({
      type: 'profile',
      legacy_id: `p${n}`,
      modern_id: `m${n}`,
    }));
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

    const killed = spawn(process.execPath, [program, 'tokens', 'import', file, '--dry-run'], {
      env: environment(settings),
      stdio: 'ignore',
    });
    running.push(killed);
    const draft = join(imports, `dry-run.${killed.pid}.draft`);
    await until(() => existsSync(join(draft, 'scratch.db')));
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    running.pop();
    expect(statSync(draft)).toMatchObject(BRIDGE);

    // An earlier version left a folder of root's.
    const old = join(imports, 'dry-run.4000000.draft');
    mkdirSync(join(old, 'of-root'), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${JSON.stringify(rows[0])}\n`);
    const line = 'what a killed dry run left could not be removed';
    for (const more of [['--dry-run'], []])
      expect(runAsBridge(settings, 'tokens', 'import', file, ...more)).toMatchObject({
        status: 0,
        stderr: expect.stringContaining(line) as string,
      });
    expect(readdirSync(imports)).toEqual(['dry-run.4000000.draft']);

    const child = spawn(process.execPath, [program, 'serve'], {
      ...BRIDGE,
      env: environment(settings),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.push(child);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ready = () => sendRaw(PUBLIC_URL, { path: '/ready' });
    await until(async () => (await ready().catch(() => undefined))?.status === 200);
    expect(said).toContain(line);
  },
);
