import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { projectRoot } from '../../shared/project-root.ts';

/** Numbered SQL files of `db/<folder>`, in order. */
export function migrationFiles(folder: string): Array<{ number: number; path: string }> {
  const directory = join(projectRoot, 'db', folder);
  return readdirSync(directory)
    .filter((name) => /^\d{3}-.+\.sql$/.test(name))
    .toSorted()
    .map((name) => ({ number: Number(name.slice(0, 3)), path: join(directory, name) }));
}

/** References to a rebuilt table must still find their rows. */
function requireWholeReferences(database: Database): void {
  const broken = database.pragma('foreign_key_check') as unknown[];
  if (broken.length > 0)
    throw new Error(`${broken.length} rows would name rows that do not exist after the migration`);
}

/**
 * Brings a SQLite file to the newest schema. Each file runs once, in one transaction with its number in `user_version`,
 * so that two starters, or a crash in between, leave a whole schema. References are checked only at the end, so that a
 * table can be rebuilt while other tables refer to it.
 * @throws {Error} when a newer version than this one wrote the file
 */
export function migrate(database: Database, folder: string): void {
  const files = migrationFiles(folder);
  const newest = files.at(-1)?.number ?? 0;
  const apply = database.transaction(() => {
    const current = database.pragma('user_version', { simple: true }) as number;
    if (current > newest)
      throw new Error(
        `the database has schema ${current}, this version knows schemas up to ${newest}: a newer version wrote the database`,
      );
    const newer = files.filter(({ number }) => number > current);
    for (const file of newer) {
      database.exec(readFileSync(file.path, 'utf8'));
      database.pragma(`user_version = ${file.number}`);
    }
    if (newer.length > 0) requireWholeReferences(database);
  });
  database.pragma('foreign_keys = OFF');
  apply.immediate();
  database.pragma('foreign_keys = ON');
}
