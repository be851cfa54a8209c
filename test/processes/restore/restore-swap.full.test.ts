import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { whyNoStrace } from '../../races/system-calls.ts';
import { add, run, runJson } from '../commands/operator-command.ts';
import type { Settings } from '../running-program.ts';
import {
  appsIn,
  backupOf,
  copyPlace,
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

/** What `restore` finds where the database shall be, and what is there when it is cut short. */

let backup: string;

beforeAll(async () => {
  await makeHome();
  const settings = emptyPlace('ahead');
  await makePlace('ahead');
  backup = await backupOf(settings);
  await run(settings, ...add('More', 'https://more.example/', 'o@more.example'));
});

afterAll(removePlaces);

/** A place with the keys of home and one app more than the backup. */
const placeAhead = (place: string): Settings => copyPlace('ahead', place);

/** Leaves the log of a bridge that was killed: with a newer epoch, and as the original. */
function leaveLog(place: string): void {
  const [file, kept] = [fileIn(place), fileIn(place, 'kept')];
  inFile(file, (db) => {
    db.exec("update instance set epoch = 7; update apps set name = 'from the log'");
    for (const suffix of ['-wal', '-shm']) copyFileSync(`${file}${suffix}`, `${kept}${suffix}`);
  });
  for (const suffix of ['-wal', '-shm']) copyFileSync(`${kept}${suffix}`, `${file}${suffix}`);
}

test('a log that was left without its database is set aside, and not played into the restored one', async () => {
  const settings = placeAhead('left');
  leaveLog('left');
  rmSync(fileIn('left'));
  writeFileSync(fileIn('left', 'bridge-volatile.db-journal'), 'left too');
  rmSync(fileIn('left', 'bridge-volatile.db'), { force: true });
  const { code, json } = await runJson(settings, 'restore', backup);
  expect(code).toBe(0);
  const { setAside } = json as { setAside: string[] };
  const stamp = String.raw`\.before-restore-[\dTZ-]+`;
  for (const name of [
    `bridge\\.db${stamp}-wal`,
    `bridge\\.db${stamp}-shm`,
    `bridge-volatile\\.db${stamp}-journal`,
  ])
    expect(setAside).toContainEqual(expect.stringMatching(new RegExp(`${name}$`)));
  expect(stateOf(fileIn('left'))).toBe('copy');
  expect(inFile(fileIn('left'), (db) => db.prepare('select epoch from instance').pluck().get())).toBe(0);
  expect(appsIn(fileIn('left'))).toBe(1);
});

test('where it cannot be found out whether a bridge works there, nothing is touched', async () => {
  const settings = placeAhead('unclear');
  for (const suffix of ['', '-wal', '-shm'])
    rmSync(fileIn('unclear', `bridge-volatile.db${suffix}`), { force: true });
  mkdirSync(fileIn('unclear', 'bridge-volatile.db'));
  const names = namesIn('unclear');
  const { code, complaints } = await run(settings, 'restore', backup);
  expect({ code, complaints }).toEqual({
    code: 1,
    complaints: expect.stringMatching(
      /^the command cannot tell whether a bridge uses .*: .*Nothing was changed\.\n$/,
    ) as string,
  });
  expect([namesIn('unclear'), appsIn(fileIn('unclear'))]).toEqual([names, 2]);
});

test('a draft of a restore that was killed is removed by the next, one of a running process is not', async () => {
  const settings = placeAhead('drafts');
  const gone = spawnSync('true').pid;
  const left = [`bridge.db.${gone}.draft`, `bridge.db.${gone}.draft-journal`];
  const others = [`bridge.db.${process.pid}.draft`, 'bridge.db.draft', `other.db.${gone}.draft`];
  for (const name of [...left, ...others]) writeFileSync(fileIn('drafts', name), 'a draft');
  expect((await run(settings, 'restore', backup)).code).toBe(0);
  expect(namesIn('drafts').filter((name) => name.includes('draft'))).toEqual(others.toSorted());
});

test('a start does not make a new database where the machine remembers one', async () => {
  const settings = placeAhead('lost');
  for (const name of ['bridge.db', 'bridge-volatile.db']) rmSync(fileIn('lost', name));
  const words =
    'remembers a database. Correct the address, or restore that database. To begin with an empty database, remove the file';
  const { code, complaints } = await run(settings, 'serve');
  expect({ code, complaints }).toEqual({ code: 1, complaints: expect.stringContaining(words) as string });
  const doctor = await run(settings, 'doctor');
  expect(doctor).toMatchObject({ code: 1, output: expect.stringContaining(words) as string });
  expect(existsSync(fileIn('lost'))).toBe(false);
  expect((await run(settings, 'restore', backup)).code).toBe(0);
  rmSync(settingsIn('lost')['VAR_DIR'] ?? '', { recursive: true });
  await makePlace('lost');
});

test('doctor does not ask the modern side where the database does not open', async () => {
  const settings = await makePlace('closed');
  await makePlace('keys-of-another');
  copyFileSync(fileIn('keys-of-another', 'keys.json'), fileIn('closed', 'keys.json'));
  const { code, output } = await run(settings, 'doctor');
  expect(code).toBe(1);
  expect(output).toContain(
    '-       authorization server: not looked at: the database could not be read and may be a restored copy',
  );
});

const program = resolve(import.meta.dirname, '../../../dist/program/cli.js');

const STRACE = 'strace';
const LINKS = 'link,linkat';
const RENAMES = 'rename,renameat,renameat2';

/** Runs a command that meets this when it makes those system calls. */
function runWith(settings: Settings, injections: string[], args: string[]) {
  const injected = injections.flatMap((one) => ['-e', `inject=${one}`]);
  const strace = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${LINKS},${RENAMES}`, ...injected];
  return spawnSync(STRACE, [...strace, process.execPath, program, ...args], {
    env: { PATH: process.env['PATH'], ...settings },
    encoding: 'utf8',
  });
}

const testWithStrace = whyNoStrace() === undefined ? test : test.skip;

testWithStrace('where links are refused, backup and restore do without', async () => {
  const settings = placeAhead('no-links');
  const file = freshFile();
  const made = runWith(settings, [`${LINKS}:error=EPERM`], ['backup', file]);
  expect(made).toMatchObject({ status: 0, stderr: '' });
  expect([stateOf(file), appsIn(file)]).toEqual(['copy', 2]);
  const restored = runWith(settings, [`${LINKS}:error=EPERM`], ['restore', backup]);
  expect(restored).toMatchObject({ status: 0, stderr: '' });
  const [aside = ''] = namesIn('no-links').filter((name) => name.startsWith('bridge.db.before'));
  expect([appsIn(fileIn('no-links', aside)), appsIn(fileIn('no-links'))]).toEqual([2, 1]);
});

testWithStrace.each([
  ['the database cannot be given a second name', `${LINKS}:error=EIO`],
  ['the draft cannot take its place', `${RENAMES}:error=EIO:when=2`],
  ['the draft cannot take its place without links', `${LINKS}:error=EPERM`, `${RENAMES}:error=EIO:when=3`],
])('where %s, everything is put back', async (what, ...injections) => {
  const place = what.replaceAll(' ', '-');
  const settings = placeAhead(place);
  const names = namesIn(place);
  const { status, stderr } = runWith(settings, injections, ['restore', backup]);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(
      /bridge\.db could not be replaced: EIO.* Nothing was changed\.\n$/,
    ) as string,
  });
  expect([namesIn(place), appsIn(fileIn(place))]).toEqual([names, 2]);
});

testWithStrace.each([
  ['link', LINKS, 1],
  ['rename', RENAMES, 2],
])(
  'killed at any %s, the database is there, and the next restore is whole',
  async (kind, calls, times) => {
    const settings = placeAhead(`killed-${kind}`);
    const killed = () =>
      runWith(settings, [`${calls}:signal=KILL:when=${met + 1}`], ['restore', backup]).signal === 'SIGKILL';
    let met = 0;
    for (; killed(); met += 1) {
      expect([stateOf(fileIn(`killed-${kind}`)), appsIn(fileIn(`killed-${kind}`))]).toEqual(['original', 2]);
      // Anew as it was, for the next kill.
      await run(settings, 'migrate');
    }
    expect(met).toBe(times);
    expect([stateOf(fileIn(`killed-${kind}`)), appsIn(fileIn(`killed-${kind}`))]).toEqual(['copy', 1]);
    expect(namesIn(`killed-${kind}`).filter((name) => name.includes('draft'))).toEqual([]);
  },
  60_000,
);
