import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  openSync,
  readSync,
  renameSync,
} from 'node:fs';
import { pipeline } from 'node:stream/promises';
import Sqlite from 'better-sqlite3';
import { writeWhole } from './draft-file.ts';
import { migrate } from './migrations.ts';
import {
  COMPANIONS,
  type CopyFacts,
  factsOf,
  markFileAsCopy,
  onOneFile,
  requireWhole,
} from './sqlite-copy.ts';
import { volatileFileOf } from './sqlite.ts';

/** Putting a backup in the place of a SQLite database. Everything is checked before anything there is touched. */

const HEADER = 'SQLite format 3\0';

function requireSqlite(file: string): void {
  if (!existsSync(file)) throw new Error(`there is no file ${file}`);
  const [handle, start] = [openSync(file, 'r'), Buffer.alloc(HEADER.length)];
  try {
    readSync(handle, start, 0, start.length, 0);
  } finally {
    closeSync(handle);
  }
  if (start.toString('latin1') !== HEADER) throw new Error(`${file} is not a SQLite database`);
}

/** A copy that was made by hand may have its last commits in a file beside it. */
async function copyInto(draft: string, file: string): Promise<void> {
  for (const suffix of ['', '-wal']) {
    if (!existsSync(`${file}${suffix}`)) continue;
    const write = createWriteStream(`${draft}${suffix}`, { mode: 0o600 });
    await pipeline(createReadStream(`${file}${suffix}`), write);
  }
}

/** With exclusive locking SQLite opens a file only where no other process has it open. */
function isInUse(file: string): boolean {
  const db = new Sqlite(file, { fileMustExist: true, timeout: 0 });
  try {
    db.pragma('locking_mode = exclusive');
    db.exec('begin immediate; rollback');
    return false;
  } catch (error) {
    // A database that is damaged is no reason to keep a whole one from its place.
    return (error as { code?: string }).code?.startsWith('SQLITE_BUSY') ?? false;
  } finally {
    db.close();
  }
}

/**
 * Gives the present database another name, so that a restore destroys nothing.
 * @returns the new names
 * @throws {Error} a process works on it
 */
function setAside(file: string): string[] {
  const files = [file, volatileFileOf(file)].filter((each) => existsSync(each));
  const used = files.find(isInUse);
  if (used !== undefined)
    throw new Error(`${used} is in use: stop the bridge on it first. Nothing was changed.`);
  const stamp = `.before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  return files.flatMap((each) =>
    ['', ...COMPANIONS]
      .filter((suffix) => existsSync(`${each}${suffix}`))
      .map((suffix) => {
        const name = `${each}${stamp}${suffix}`;
        renameSync(`${each}${suffix}`, name);
        return name;
      }),
  );
}

export interface Restored extends CopyFacts {
  /** What the files of the database that was there before are called now. */
  setAside: string[];
}

/**
 * Puts a backup in the place of the database at `target`, brought to the newest schema and marked as a copy.
 * @param check throws where the copy's keys are not at hand
 * @throws {Error} in plain words; nothing was changed then
 */
export async function restoreFile(
  file: string,
  target: string,
  check: (facts: CopyFacts) => void,
): Promise<Restored> {
  requireSqlite(file);
  return writeWhole(target, async (draft) => {
    await copyInto(draft, file);
    const facts = onOneFile(draft, file, (db) => {
      requireWhole(db, file);
      migrate(db, 'sqlite');
      markFileAsCopy(db);
      return factsOf(db);
    });
    check(facts);
    return { ...facts, setAside: setAside(target) };
  });
}
