import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { projectRoot } from '../shared/project-root.ts';

/** Numbered SQL files of `db/<folder>`, in their order. */
export function migrationFiles(folder: string): Array<{ number: number; path: string }> {
  const directory = join(projectRoot, 'db', folder);
  return readdirSync(directory)
    .filter((name) => /^\d{3}-.+\.sql$/.test(name))
    .toSorted()
    .map((name) => ({ number: Number(name.slice(0, 3)), path: join(directory, name) }));
}

/**
 * Brings a SQLite file to the newest schema. Each file runs once, in one transaction with its number in `user_version`,
 * so that two starters and a crash in between leave a whole schema.
 * @throws {Error} when the file was written by a newer version than this one
 */
export function migrate(database: Database, folder: string): void {
  const files = migrationFiles(folder);
  const newest = files.at(-1)?.number ?? 0;
  const apply = database.transaction(() => {
    const current = database.pragma('user_version', { simple: true }) as number;
    if (current > newest) throw new Error(`the database has schema ${current}, this version knows ${newest}`);
    for (const file of files.filter(({ number }) => number > current)) {
      database.exec(readFileSync(file.path, 'utf8'));
      database.pragma(`user_version = ${file.number}`);
    }
  });
  apply.immediate();
}
