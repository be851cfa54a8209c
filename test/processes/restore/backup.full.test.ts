import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { migrationFiles } from '../../../src/store/driver/schema/migrations.ts';
import { run, runJson } from '../commands/operator-command.ts';
import type { Settings } from '../running-program.ts';
import {
  appsIn,
  backupOf,
  copyPlace,
  damage,
  fileIn,
  folder,
  freshFile,
  inFile,
  makeHome,
  makePlace,
  removePlaces,
  settingsIn,
  stateOf,
} from './sqlite-places.ts';

/** `backup` as an operator runs it on SQLite: what it keeps, what it refuses, and what it leaves. */

let home: Settings;

beforeAll(async () => {
  home = await makeHome();
});

afterAll(removePlaces);

test('is one private file that is whole and says that it is a copy, and tells what it holds and needs', async () => {
  const file = freshFile();
  const { code, json } = await runJson(home, 'backup', file);
  expect(code).toBe(0);
  const named = ['digest', 'history', 'sealing', 'session'].map((purpose) => ({ purpose, id: 'k1' }));
  expect(json).toEqual({
    file,
    bytes: statSync(file).size,
    schema: migrationFiles('sqlite').at(-1)?.number,
    grants: 0,
    mappings: 1,
    epoch: 0,
    keys: named,
  });
  expect(readdirSync(join(file, '..'))).toEqual(['backup.db']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect([stateOf(file), stateOf(fileIn('home')), appsIn(file)]).toEqual(['copy', 'original', 1]);
});

test('opens nothing but the database: no client and no other file is made', async () => {
  const { VAR_DIR = '' } = home;
  await run({ VAR_DIR }, 'backup', freshFile());
  expect(existsSync(fileIn('home', 'modern-client.json'))).toBe(false);
  const { code, complaints } = await run(settingsIn('nowhere'), 'backup', freshFile());
  expect({ code, complaints }).toEqual({
    code: 1,
    complaints: `DATABASE_URL: there is no database at ${fileIn('nowhere')}\n`,
  });
  expect(existsSync(join(folder, 'nowhere'))).toBe(false);
});

test('overwrites nothing, and says what is wrong with the place', async () => {
  const taken = freshFile();
  writeFileSync(taken, 'mine');
  const refused = await run(home, 'backup', taken);
  expect(refused.code).toBe(1);
  expect(refused.complaints).toBe(`${taken} exists already, and is not overwritten\n`);
  expect(readFileSync(taken, 'utf8')).toBe('mine');
  const lost = await run(home, 'backup', join(folder, 'no-folder', 'backup.db'));
  expect(lost.code).toBe(1);
  expect(lost.complaints).toContain('could not be written: its folder does not exist');
});

test.each(['bridge.db-wal', 'bridge.db-journal', 'bridge-volatile.db', 'bridge-volatile.db-shm'])(
  'the name %s, which belongs to the database, is refused',
  async (name) => {
    const { VAR_DIR = '' } = copyPlace('home', `own-${name}`);
    rmSync(join(VAR_DIR, name), { force: true });
    symlinkSync(VAR_DIR, join(folder, `link-${name}`));
    for (const target of [join(VAR_DIR, name), join(folder, `link-${name}`, name)]) {
      const { code, complaints } = await run(settingsIn(`own-${name}`), 'backup', target);
      const words = `${target} is a name that belongs to the database itself: choose another\n`;
      expect({ code, complaints }).toEqual({ code: 1, complaints: words });
      expect(existsSync(target)).toBe(false);
    }
  },
);

test('is the state of one moment while others write, and whole each time', async () => {
  await makePlace('busy');
  const writer = new Sqlite(fileIn('busy'));
  const write = writer.prepare("insert into events (at, actor, action, reason) values (?, 'test', ?, ?)");
  const writePair = writer.transaction((n: number) => {
    write.run(n, 'one', 'x'.repeat(2_000));
    write.run(n, 'two', 'x'.repeat(2_000));
  });
  let written = 0;
  const timer = setInterval(() => writePair((written += 1)), 1);
  const files = [await backupOf(settingsIn('busy')), await backupOf(settingsIn('busy'))];
  clearInterval(timer);
  writer.close();
  const counts = files.map((file) =>
    inFile(file, (db) => {
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
      return db
        .prepare("select sum(action = 'one'), sum(action = 'two') from events")
        .raw()
        .get() as number[];
    }),
  );
  for (const [one, two] of counts) expect(one).toBe(two);
  expect(counts[0]?.[0]).toBeGreaterThan(10);
  expect(counts[1]?.[0]).toBeGreaterThan(counts[0]?.[0] ?? 0);
  expect(written).toBeGreaterThan(counts[1]?.[0] ?? 0);
});

test('a damaged database is not backed up', async () => {
  await makePlace('worn');
  inFile(fileIn('worn'), (db) => db.pragma('wal_checkpoint(truncate)'));
  damage(fileIn('worn'));
  const file = freshFile();
  const { code, complaints } = await run(settingsIn('worn'), 'backup', file);
  expect({ code, complaints }).toEqual({
    code: 1,
    complaints: expect.stringContaining('bridge.db is damaged') as string,
  });
  expect(readdirSync(join(file, '..'))).toEqual([]);
});
/** Runs a shell script with mounts of its own, which are gone with it. */
function withOwnMounts(script: string, args: string[], env: Settings) {
  const [program, ...options] = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh'];
  return spawnSync(program ?? '', [...options, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    encoding: 'utf8',
  });
}

/** Runs a command beside a file system that is full at 96 kB, mounted at `full`, and lists what is left there. */
function onSmallDisk(settings: Settings, full: string, args: string[]) {
  const program = resolve(import.meta.dirname, '../../../dist/program/cli.js');
  const mount =
    'mount -t tmpfs -o size=96k tmpfs "$1" && shift && "$@"; code=$?; ls -A "$FULL" >&2; exit $code';
  return withOwnMounts(mount, [full, process.execPath, program, ...args], { FULL: full, ...settings });
}

const canMount = withOwnMounts('mount -t tmpfs tmpfs /tmp', [], {}).status === 0;
const testOnSmallDisk = canMount ? test : test.skip;

testOnSmallDisk(
  'a disk that fills during a backup or a restore leaves nothing behind, and is named',
  async () => {
    const full = join(folder, 'full');
    mkdirSync(full);
    const words = /could not be written: the disk is full\n$/;
    const backup = onSmallDisk(home, full, ['backup', join(full, 'backup.db')]);
    expect({ status: backup.status, stderr: backup.stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(words) as string,
    });
    const file = await backupOf(home);
    const target = { ...home, DATABASE_URL: `sqlite:${join(full, 'bridge.db')}` };
    const restored = onSmallDisk(target, full, ['restore', file]);
    expect({ status: restored.status, stderr: restored.stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(words) as string,
    });
    expect((await run(home, 'doctor')).output).toContain('opens with these keys and is whole');
  },
);
