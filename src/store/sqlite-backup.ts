import { existsSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { writeWhole } from './draft-file.ts';
import { type CopyFacts, factsOf, markFileAsCopy, onOneFile, requireWhole } from './sqlite-copy.ts';

/** All pages in one step: between two steps a write of the bridge would make the copying begin anew. */
const ALL_PAGES = 0x7fffffff;

async function copyOnline(source: string, draft: string): Promise<void> {
  const db = new Sqlite(source, { readonly: true, fileMustExist: true, timeout: 10_000 });
  try {
    await db.backup(draft, { progress: () => ALL_PAGES });
  } finally {
    db.close();
  }
}

/**
 * Writes a checked copy of a SQLite database, as it is at one moment, while others read and write it. The copy says of
 * itself that it is one, so that it sends nothing to the modern side when a bridge is started on it.
 * @throws {Error} in plain words; nothing is left then, and no file is ever overwritten
 */
export async function backUp(source: string, target: string): Promise<CopyFacts> {
  if (existsSync(target)) throw new Error(`${target} exists already, and is not overwritten`);
  return writeWhole(target, async (draft) => {
    await copyOnline(source, draft);
    return onOneFile(draft, source, (db) => {
      requireWhole(db, source);
      markFileAsCopy(db);
      return factsOf(db);
    });
  });
}
