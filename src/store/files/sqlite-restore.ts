import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Sqlite } from '../../shared/sqlite.ts';
import { tryLink, writeWhole } from './draft-file.ts';
import { migrate } from '../driver/schema/migrations.ts';
import {
  COMPANIONS,
  type CopyProgress,
  type CopySummary,
  factsOf,
  isDamage,
  markFileAsCopy,
  onOneFile,
  requireWhole,
  UNHEARD,
} from './sqlite-copy.ts';
import { volatileFileOf } from '../driver/sqlite.ts';

/** Puts a backup in the place of a SQLite database. All checks come before the first change. */

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

const kilobytes = (bytes: number) => Math.ceil(bytes / 1000);

/** A copy made by hand may have its last commits in a `-wal` file beside it. */
async function copyInto(draft: string, file: string, { begin, tell }: CopyProgress): Promise<void> {
  begin('copying');
  const suffixes = ['', '-wal'].filter((suffix) => existsSync(`${file}${suffix}`));
  const total = suffixes.reduce((sum, suffix) => sum + statSync(`${file}${suffix}`).size, 0);
  let done = 0;
  async function* counted(pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      done += piece.length;
      tell({ done: kilobytes(done), total: kilobytes(total), unit: 'kB' });
      yield piece;
    }
  }
  for (const suffix of suffixes) {
    const write = createWriteStream(`${draft}${suffix}`, { mode: 0o600 });
    await pipeline(createReadStream(`${file}${suffix}`), counted, write);
  }
}

/**
 * With exclusive locking SQLite opens a file only when no other process has it open.
 * @throws {Error} in plain words when the use cannot be determined
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
    // A damaged database must not keep a whole database from its place.
    if (isDamage(cause)) return false;
    const words = `the command cannot tell whether a bridge uses ${file}: ${message}. Nothing was changed.`;
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

interface FileMove {
  from: string;
  to: string;
}

/** Moves the files back; returns a line for each file that stays moved. */
function undo(moves: readonly FileMove[]): string[] {
  return moves.toReversed().flatMap(({ from, to }) => {
    try {
      if (existsSync(from)) unlinkSync(to);
      else renameSync(to, from);
      return [];
    } catch {
      return [`${from} was renamed to ${to}`];
    }
  });
}

interface DatabasePlace {
  target: string;
  volatile: string;
}

/** The file that SQLite opens by this name. */
function fileBehind(given: string): string {
  if (existsSync(given)) return realpathSync(given);
  const isLink = lstatSync(given, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  // What a link says counts from the folder in which the link really is.
  return isLink ? fileBehind(resolve(realpathSync(dirname(given)), readlinkSync(given))) : given;
}

/**
 * The file behind a link is replaced, also where there is none yet. Otherwise the database would move to the disk of the
 * link. The volatile file stands beside the name that the bridge is given.
 */
function placeOf(given: string): DatabasePlace {
  return { target: fileBehind(given), volatile: volatileFileOf(given) };
}

/**
 * Puts a draft in the place of the database. The old files get other names, so that a restore destroys no data. The
 * database has both names until the draft takes its name, so that a database exists at every moment.
 * @returns the renamed files
 * @throws {Error} in plain words, for example when a process uses the database; moved files are moved back
 */
function swapIn(draft: string, { target, volatile }: DatabasePlace): FileMove[] {
  requireUnused([target, volatile]);
  const stamp = `.before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  const moves: FileMove[] = [];
  const setAside = (file: string, suffix: string, give: (from: string, to: string) => void) => {
    const [from, to] = [`${file}${suffix}`, `${file}${stamp}${suffix}`];
    if (!existsSync(from)) return;
    give(from, to);
    moves.push({ from, to });
  };
  try {
    // Also when the database file itself is missing: SQLite would play a leftover log into the restored database.
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

export interface RestoreResult extends CopySummary {
  /** The present names of the files of the old database, the database itself first. */
  setAside: string[];
}

interface RestoreWatch {
  /** Throws when the copy's keys are missing. */
  check: (facts: CopySummary) => void;
  progress?: CopyProgress;
}

/**
 * Puts a backup in the place of the database at `target`, brought to the newest schema and marked as a copy.
 * @throws {Error} in plain words; nothing is changed then
 */
export async function restoreFile(
  file: string,
  target: string,
  { check, progress = UNHEARD }: RestoreWatch,
): Promise<RestoreResult> {
  requireSqlite(file);
  const place = placeOf(target);
  let moves: FileMove[] = [];
  const facts = await writeWhole(place.target, {
    async make(draft) {
      await copyInto(draft, file, progress);
      const found = onOneFile(draft, file, (db) => {
        progress.begin('checking the copy');
        requireWhole(db, file);
        progress.begin('bringing the copy to the newest schema');
        migrate(db, 'sqlite');
        markFileAsCopy(db);
        return factsOf(db);
      });
      check(found);
      return found;
    },
    put: (draft) => void (moves = swapIn(draft, place)),
  });
  return { ...facts, setAside: moves.map(({ to }) => to).toReversed() };
}
