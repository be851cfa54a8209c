import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Sqlite } from '../../shared/sqlite.ts';
import { writeWhole } from './draft-file.ts';
import {
  COMPANIONS,
  type CopyProgress,
  type CopySummary,
  damageIn,
  factsOf,
  markFileAsCopy,
  onOneFile,
  requireWhole,
  UNHEARD,
} from './sqlite-copy.ts';
import { volatileFileOf } from '../driver/sqlite.ts';

/** Few enough for a step of some milliseconds, so that the process does other work between two steps. */
const PAGES_AT_ONCE = 1000;

/**
 * Copies the database as it is at the beginning. The open read keeps that moment: without it, each write of the bridge
 * between two steps would begin the copying anew (https://www.sqlite.org/c3ref/backup_finish.html).
 */
async function copyOnline(source: string, draft: string, { tell }: CopyProgress): Promise<void> {
  const db = new Sqlite(source, { readonly: true, fileMustExist: true, timeout: 10_000 });
  try {
    db.exec('begin');
    db.prepare('select 1 from sqlite_master limit 1').get();
    await db.backup(draft, {
      progress({ totalPages: total, remainingPages: left }) {
        tell({ done: total - left, total, unit: 'pages' });
        return PAGES_AT_ONCE;
      },
    });
  } catch (cause) {
    throw damageIn(source, cause);
  } finally {
    db.close();
  }
}

/** Resolves links in the folder's path. A missing folder is left as written. */
function realName(file: string): string {
  const folder = dirname(file);
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(file));
}

/**
 * SQLite would take a file with this name for a part of the database, now or after a crash. Where the database is a link,
 * these files stand beside the file behind it.
 */
function requireForeign(source: string, target: string): void {
  const behind = existsSync(source) ? realpathSync(source) : source;
  const own = [source, behind, volatileFileOf(source)].flatMap((file) =>
    ['', ...COMPANIONS].map((suffix) => realName(`${file}${suffix}`)),
  );
  if (own.includes(realName(target)))
    throw new Error(`${target} is a name that belongs to the database itself: choose another`);
}

/**
 * Writes a checked copy of a SQLite database at one moment, while other processes read and write the database. The copy
 * is marked as a copy, so a bridge that is started on it sends nothing to the new API.
 * @throws {Error} in plain words; no file is left then, and no file is ever overwritten
 */
export async function backUp(
  source: string,
  target: string,
  progress: CopyProgress = UNHEARD,
): Promise<CopySummary> {
  requireForeign(source, target);
  if (existsSync(target)) throw new Error(`${target} exists already, and is not overwritten`);
  const make = async (draft: string) => {
    progress.begin('copying');
    await copyOnline(source, draft, progress);
    return onOneFile(draft, source, (db) => {
      progress.begin('checking the copy');
      requireWhole(db, source);
      markFileAsCopy(db);
      return factsOf(db);
    });
  };
  return writeWhole(target, { make });
}
