import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { until } from '../../support/servers/held-answer.ts';
import type { Settings } from '../running-program.ts';
import { fileIn, freshFile, inFile, makeHome, namesIn, removePlaces } from './sqlite-places.ts';

/** A signal in the middle of a command that writes a large file: neither a part of the file is left nor a draft. */

const PROGRAM = resolve(import.meta.dirname, '../../../dist/program/cli.js');

/** So many that each command works for a second and more. */
const ENTRIES = 300_000;

let home: Settings;

beforeAll(async () => {
  home = await makeHome();
  inFile(fileIn('home'), (db) =>
    db.exec(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${ENTRIES})
      insert into events (at, actor, action, reason) select n, 'test', 'granted', 'reason ' || n from numbers;
      pragma wal_checkpoint(truncate)`),
  );
}, 120_000);

afterAll(removePlaces);

/** Sends the signal when the command has begun to write in the folder; how it ended. */
async function interrupt(signal: NodeJS.Signals, folder: () => string[], args: string[]) {
  const before = folder();
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env['PATH'], ...home },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  await until(() => folder().length > before.length, 60_000);
  child.kill(signal);
  const [code, by] = await ended;
  return { code, by, left: folder().filter((name) => !before.includes(name)) };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

describe.each(SIGNALS)('%s', (signal) => {
  const ended = { code: null, by: signal, left: [] };

  test('leaves nothing of an export', async () => {
    const file = freshFile();
    const folder = () => readdirSync(dirname(file));
    const args = ['history', 'export', '--output', file];
    expect(await interrupt(signal, folder, args)).toEqual(ended);
  });

  test('leaves nothing of a backup', async () => {
    const file = freshFile();
    expect(await interrupt(signal, () => readdirSync(dirname(file)), ['backup', file])).toEqual(ended);
  });
});

/** Without the companions of a database, which come and go. */
const namesAtHome = () => namesIn('home').filter((name) => !/-(wal|shm)$/.test(name));

test('a restore that is broken off replaces nothing', async () => {
  const backup = freshFile();
  const child = spawn(process.execPath, [PROGRAM, 'backup', backup], {
    env: { PATH: process.env['PATH'], ...home },
    stdio: 'ignore',
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await interrupt('SIGINT', namesAtHome, ['restore', backup])).toEqual({
    code: null,
    by: 'SIGINT',
    left: [],
  });
});
