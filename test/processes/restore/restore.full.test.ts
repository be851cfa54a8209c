import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { migrationFiles } from '../../../src/store/driver/schema/migrations.ts';
import { startBridgeProcess } from '../../support/bridge/bridge-process.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { add, run, runJson } from '../commands/operator-command.ts';
import type { Settings } from '../running-program.ts';
import {
  appsIn,
  backupOf,
  damage,
  digestOf,
  emptyPlace,
  fileIn,
  freshFile,
  inFile,
  makeHome,
  makePlace,
  namesIn,
  removePlaces,
  settingsIn,
  stateOf,
} from './sqlite-places.ts';

/** `restore` as an operator runs it on SQLite: what it checks, what it refuses, and what it leaves. */

let home: Settings;
let made: string;

beforeAll(async () => {
  home = await makeHome();
  made = await backupOf(home);
});

/** A backup of home that a test may spoil. */
function homeBackup(): string {
  const file = freshFile();
  copyFileSync(made, file);
  return file;
}

afterAll(removePlaces);

test('sets the present database aside, puts the copy in its place, and says that it is silent', async () => {
  const backup = homeBackup();
  await makePlace('kept');
  await run(settingsIn('kept'), ...add('More', 'https://more.example/', 'o@more.example'));
  copyFileSync(fileIn('home', 'keys.json'), fileIn('kept', 'keys.json'));
  const { code, json } = await runJson(settingsIn('kept'), 'restore', backup);
  expect(code).toBe(0);
  const { setAside } = json as { setAside: string[] };
  expect(json).toMatchObject({ file: backup, database: fileIn('kept'), state: 'copy', mappings: 1 });
  expect(setAside).toEqual([
    expect.stringMatching(/bridge\.db\.before-restore-[\dTZ-]+$/),
    expect.stringMatching(/bridge-volatile\.db\.before-restore-[\dTZ-]+$/),
  ]);
  expect([appsIn(setAside[0] ?? ''), appsIn(fileIn('kept'))]).toEqual([2, 1]);
  expect([stateOf(setAside[0] ?? ''), stateOf(fileIn('kept'))]).toEqual(['original', 'copy']);
  expect(statSync(fileIn('kept')).mode & 0o777).toBe(0o600);
  expect(namesIn('kept').filter((name) => name.includes('draft'))).toEqual([]);
  const doctor = await run(settingsIn('kept'), 'doctor');
  expect(doctor.output).toContain(
    'FAILED  instance: this database is a restored copy, and the bridge on it sends nothing',
  );
  expect(doctor.output).toContain('-       refreshing: not looked at: a restored copy refreshes nothing');
  expect(doctor.output).toContain(
    '-       authorization server: not looked at: a restored copy sends nothing',
  );
});

const countEvents = () =>
  inFile(fileIn('taken'), (db) => db.prepare('select count(*) from events').pluck().get());

test('with --take-over it is the original at once, and another take-over changes nothing', async () => {
  const settings = emptyPlace('taken');
  const { code, json } = await runJson(settings, 'restore', homeBackup(), '--take-over');
  expect(code).toBe(0);
  const { epoch } = json as { epoch: number };
  expect(json).toMatchObject({ state: 'original', grants: 0 });
  expect(Math.abs(Date.now() - epoch)).toBeLessThan(60_000);
  const before = countEvents();
  const again = await run(settings, 'restore', '--take-over');
  expect(again).toMatchObject({
    code: 0,
    output: 'This database is the original already. Nothing was changed.\n',
  });
  expect(countEvents()).toBe(before);
  expect((await run(settings, 'restore')).code).toBe(2);
  const later = await runJson(settings, 'restore', homeBackup(), '--take-over');
  expect((later.json as { epoch: number }).epoch).toBeGreaterThan(epoch);
});

test('a backup with an older schema is brought to the newest one, and is silent', async () => {
  const older = freshFile();
  const proofs = inFile(fileIn('home'), (db) =>
    db.prepare("select purpose, proof from keys where purpose in ('digest', 'sealing')").all(),
  ) as Array<{ purpose: string; proof: string }>;
  const db = new Sqlite(older);
  for (const { path } of migrationFiles('sqlite').filter(({ number }) => number <= 2))
    db.exec(readFileSync(path, 'utf8'));
  for (const { purpose, proof } of proofs)
    db.prepare('insert into key_proofs values (?, ?)').run(purpose, proof);
  db.pragma('user_version = 2');
  db.close();
  const before = digestOf(older);
  expect((await run(emptyPlace('aged'), 'restore', older)).code).toBe(0);
  expect(stateOf(fileIn('aged'))).toBe('copy');
  expect(digestOf(older)).toBe(before);
});

const text = (file: string) => writeFileSync(file, 'no database at all, only some text\n');
const newer = (file: string) => inFile(file, (db) => db.pragma('user_version = 99'));
const orphan = (file: string) =>
  inFile(file, (db) => {
    db.pragma('foreign_keys = off');
    db.exec('delete from apps');
  });
const folder = (file: string) => {
  rmSync(file);
  mkdirSync(file);
};
const foreign = (file: string) => {
  rmSync(file);
  const db = new Sqlite(file);
  db.exec('create table grants (id); pragma user_version = 3');
  db.close();
};

test.each([
  ['a text', text, 'is not a SQLite database'],
  ['an empty file', (file: string) => truncateSync(file), 'is not a SQLite database'],
  ['a database of another program', foreign, 'is not a database of the bridge'],
  ['a damaged backup', damage, 'is damaged'],
  ['half a backup', (file: string) => truncateSync(file, 4096 * 9), 'is damaged'],
  ['a backup with rows missing', orphan, 'is damaged: a row of '],
  ['a backup of a newer version', newer, 'has schema 99, this version knows'],
  ['no file', (file: string) => rmSync(file), 'there is no file'],
  ['a folder', folder, 'is a folder: name the backup in it'],
])('%s is refused in words, and nothing is touched', async (_what, spoil, words) => {
  const file = homeBackup();
  spoil(file);
  const [before, names] = [digestOf(fileIn('home')), namesIn('home')];
  const { code, output, complaints } = await run(home, 'restore', file, '--take-over');
  expect({ code, output }).toEqual({ code: 1, output: '' });
  expect(complaints).toContain(words);
  expect([digestOf(fileIn('home')), namesIn('home')]).toEqual([before, names]);
});

test('other keys, or none, are refused in words', async () => {
  const file = homeBackup();
  const other = await makePlace('other');
  const names = namesIn('other');
  const foreignKeys = await run(other, 'restore', file);
  expect(foreignKeys.code).toBe(1);
  expect(foreignKeys.complaints).toContain('is not the one that this database was used with');
  expect(namesIn('other')).toEqual(names);
  const none = await run(settingsIn('keyless'), 'restore', file);
  expect(none.code).toBe(1);
  expect(none.complaints).toContain('keys.json is missing');
  expect(namesIn('keyless')).toEqual([]);
});

test('a folder whose facts cannot be read is an error before anything is replaced', async () => {
  const backup = homeBackup();
  await makePlace('unread');
  copyFileSync(fileIn('home', 'keys.json'), fileIn('unread', 'keys.json'));
  writeFileSync(fileIn('unread', 'epoch.json'), 'half a li');
  const before = digestOf(fileIn('unread'));
  const { code, complaints } = await run(settingsIn('unread'), 'restore', backup);
  expect([code, complaints]).toEqual([1, expect.stringContaining('epoch.json')]);
  expect(digestOf(fileIn('unread'))).toBe(before);
  expect(namesIn('unread').filter((name) => name.includes('before-restore'))).toEqual([]);
});

test('a bridge that runs on the present database is not robbed of it', async () => {
  const backup = homeBackup();
  const port = String(await freePort());
  const running = { ...emptyPlace('running'), PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` };
  const bridge = await startBridgeProcess({ settings: running });
  try {
    const { code, complaints } = await run(running, 'restore', backup);
    expect({ code, complaints }).toEqual({
      code: 1,
      complaints: `${fileIn('running')} is in use: stop the bridge on it first. Nothing was changed.\n`,
    });
    expect(namesIn('running').filter((name) => name.includes('before-restore'))).toEqual([]);
  } finally {
    await bridge.kill();
  }
  expect((await run(running, 'restore', backup)).code).toBe(0);
});
