import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { add, run } from '../commands/operator-command.ts';
import { buildProgram, type Settings } from '../running-program.ts';

/** Places of the bridge on SQLite that operators' commands work on, all below one folder of the test file. */

export const folder = mkdtempSync(join(tmpdir(), 'backup-'));
let modern = '';
let count = 0;

/** The settings of a place; the modern side is away. */
export const settingsIn = (place: string): Settings => ({
  VAR_DIR: join(folder, place),
  MODERN_AUTH_URL: modern,
  MODERN_API_URL: modern,
  MODERN_CLIENT_ID: 'bridge',
});

export const fileIn = (place: string, name = 'bridge.db') => join(folder, place, name);

/** A name in a folder where nothing else is. */
export function freshFile(): string {
  count += 1;
  mkdirSync(join(folder, `out-${count}`));
  return join(folder, `out-${count}`, 'backup.db');
}

export function inFile<T>(file: string, work: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(file, { fileMustExist: true });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

export const stateOf = (file: string) =>
  inFile(file, (db) => db.prepare('select state from instance').pluck().get());

export const appsIn = (file: string) =>
  inFile(file, (db) => db.prepare('select count(*) from apps').pluck().get());

export const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

export const namesIn = (place: string) => readdirSync(join(folder, place)).toSorted();

/** A place with a database, keys and one app. */
export async function makePlace(place: string): Promise<Settings> {
  const settings = settingsIn(place);
  expect((await run(settings, 'migrate')).code).toBe(0);
  expect((await run(settings, ...add('App', 'https://app.example/callback', 'o@app.example'))).code).toBe(0);
  return settings;
}

/** A place that shares the keys of `home` and has no database. */
export function emptyPlace(place: string): Settings {
  mkdirSync(join(folder, place));
  copyFileSync(fileIn('home', 'keys.json'), fileIn(place, 'keys.json'));
  return settingsIn(place);
}

/** A place like another, made without a command: the whole folder goes along, with what the machine remembers. */
export function copyPlace(from: string, to: string): Settings {
  cpSync(join(folder, from), join(folder, to), { recursive: true });
  return settingsIn(to);
}

export async function backupOf(settings: Settings): Promise<string> {
  const file = freshFile();
  expect((await run(settings, 'backup', file)).code).toBe(0);
  return file;
}

/** Writes over the pages in the middle. */
export function damage(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0xa5, 4096 * 2, Math.floor(bytes.length / 2));
  writeFileSync(file, bytes);
}

/** The place that the others share keys with: a database with one app. */
export async function makeHome(): Promise<Settings> {
  await buildProgram();
  modern = `http://127.0.0.1:${await freePort()}`;
  return makePlace('home');
}

export const removePlaces = () => rmSync(folder, { recursive: true, force: true });
