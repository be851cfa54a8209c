import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { pipeline } from 'node:stream/promises';
import Sqlite from 'better-sqlite3';
import { tryLink, writeWhole } from './draft-file.ts';
import { migrate } from '../driver/migrations.ts';
import {
  COMPANIONS,
  type CopyFacts,
  factsOf,
  isDamage,
  markFileAsCopy,
  onOneFile,
  requireWhole,
} from './sqlite-copy.ts';
import { volatileFileOf } from '../driver/sqlite.ts';

/** Putting a backup in the place of a SQLite database. Everything is checked before anything there is touched. */

const HEADER = 'SQLite format 3\0';

function requireSqlite(file: string): void {
  if (!existsSync(file)) throw new Error(`there is no file ${file}`);
  if (statSync(file).isDirectory()) throw new Error(`${file} is a folder: name the backup in it`);
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

/**
 * With exclusive locking SQLite opens a file only where no other process has it open.
 * @throws {Error} in plain words where that cannot be found out
 */
function isInUse(file: string): boolean {
  let db: Sqlite.Database | undefined;
  try {
    db = new Sqlite(file, { fileMustExist: true, timeout: 0 });
    db.pragma('locking_mode = exclusive');
    db.exec('begin immediate; rollback');
    return false;
  } catch (cause) {
    const { code, message } = cause as { code?: string; message: string };
    if (code?.startsWith('SQLITE_BUSY')) return true;
    // A database that is damaged is no reason to keep a whole one from its place.
    if (isDamage(cause)) return false;
    const words = `whether a bridge works on ${file} cannot be found out: ${message}. Nothing was changed.`;
    throw new Error(words, { cause });
  } finally {
    db?.close();
  }
}

function requireUnused(files: readonly string[]): void {
  const used = files.filter((file) => existsSync(file)).find(isInUse);
  if (used !== undefined)
    throw new Error(`${used} is in use: stop the bridge on it first. Nothing was changed.`);
}

interface Move {
  from: string;
  to: string;
}

/** Puts back what was moved; what does not go back is named. */
function undo(moves: readonly Move[]): string[] {
  return moves.toReversed().flatMap(({ from, to }) => {
    try {
      if (existsSync(from)) unlinkSync(to);
      else renameSync(to, from);
      return [];
    } catch {
      return [`${from} is called ${to} now`];
    }
  });
}

/**
 * Puts a draft in the place of the database, whose files get other names, so that a restore destroys nothing. The
 * database itself has both names until the draft takes its own, so that at no moment there is none.
 * @returns what was renamed
 * @throws {Error} in plain words, a process works on it among others; what was moved is moved back
 */
function swapIn(draft: string, target: string): Move[] {
  const volatile = volatileFileOf(target);
  requireUnused([target, volatile]);
  const stamp = `.before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  const moves: Move[] = [];
  const setAside = (file: string, suffix: string, give: (from: string, to: string) => void) => {
    const [from, to] = [`${file}${suffix}`, `${file}${stamp}${suffix}`];
    if (!existsSync(from)) return;
    give(from, to);
    moves.push({ from, to });
  };
  try {
    // Also where there is no file that they are beside: SQLite would play a log that was left into the restored one.
    for (const suffix of COMPANIONS) setAside(target, suffix, renameSync);
    for (const suffix of ['', ...COMPANIONS]) setAside(volatile, suffix, renameSync);
    setAside(target, '', (from, to) => tryLink(from, to) || renameSync(from, to));
    renameSync(draft, target);
    return moves;
  } catch (cause) {
    const left = undo(moves).join('; ') || 'Nothing was changed';
    throw new Error(`${target} could not be replaced: ${(cause as Error).message}. ${left}.`, { cause });
  }
}

export interface Restored extends CopyFacts {
  /** What the files of the database that was there before are called now, the database itself first. */
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
  let moves: Move[] = [];
  const facts = await writeWhole(target, {
    async make(draft) {
      await copyInto(draft, file);
      const found = onOneFile(draft, file, (db) => {
        requireWhole(db, file);
        migrate(db, 'sqlite');
        markFileAsCopy(db);
        return factsOf(db);
      });
      check(found);
      return found;
    },
    put: (draft) => void (moves = swapIn(draft, target)),
  });
  return { ...facts, setAside: moves.map(({ to }) => to).toReversed() };
}
