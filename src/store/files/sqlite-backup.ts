import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { writeWhole } from './draft-file.ts';
import {
  COMPANIONS,
  type CopySummary,
  factsOf,
  markFileAsCopy,
  onOneFile,
  requireWhole,
} from './sqlite-copy.ts';
import { volatileFileOf } from '../driver/sqlite.ts';

/** All pages in one step: a write of the bridge between two steps would restart the copying. */
const ALL_PAGES = 0x7fffffff;

async function copyOnline(source: string, draft: string): Promise<void> {
  const db = new Sqlite(source, { readonly: true, fileMustExist: true, timeout: 10_000 });
  try {
    await db.backup(draft, { progress: () => ALL_PAGES });
  } finally {
    db.close();
  }
}

/** Resolves links in the folder's path. A missing folder is left as written. */
function realName(file: string): string {
  const folder = dirname(file);
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(file));
}

/** SQLite would take a file with this name for a part of the database, now or after a crash. */
function requireForeign(source: string, target: string): void {
  const own = [source, volatileFileOf(source)].flatMap((file) =>
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
export async function backUp(source: string, target: string): Promise<CopySummary> {
  requireForeign(source, target);
  if (existsSync(target)) throw new Error(`${target} exists already, and is not overwritten`);
  const make = async (draft: string) => {
    await copyOnline(source, draft);
    return onOneFile(draft, source, (db) => {
      requireWhole(db, source);
      markFileAsCopy(db);
      return factsOf(db);
    });
  };
  return writeWhole(target, { make });
}
