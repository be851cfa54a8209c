import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sqlite } from '../../../shared/sqlite.ts';
import { projectRoot } from '../../../shared/project-root.ts';
import { declaredIn, requireUsableSchema, type SchemaStep } from './works-from.ts';

/** Numbered SQL files of `db/<folder>`, in order. */
export function migrationFiles(folder: string): Array<{ number: number; path: string }> {
  const directory = join(projectRoot, 'db', folder);
  return readdirSync(directory)
    .filter((name) => /^\d{3}-.+\.sql$/.test(name))
    .toSorted()
    .map((name) => ({ number: Number(name.slice(0, 3)), path: join(directory, name) }));
}

/** References to a rebuilt table must still find their rows. */
function requireWholeReferences(database: Sqlite.Database): void {
  const broken = database.pragma('foreign_key_check') as unknown[];
  if (broken.length > 0)
    throw new Error(`${broken.length} rows would name rows that do not exist after the migration`);
}

/** The migrations that a SQLite file tells of: those since the file keeps what migrations declare. */
export function stepsOf(database: Sqlite.Database): SchemaStep[] {
  const table = database.prepare("select 1 from sqlite_master where name = 'schema_version'").get();
  if (table === undefined) return [];
  return database.prepare<[], SchemaStep>('select number, works_from from schema_version').all();
}

function applyOne(database: Sqlite.Database, file: { number: number; path: string }): void {
  const sql = readFileSync(file.path, 'utf8');
  const worksFrom = declaredIn(sql);
  database.exec(sql);
  database.pragma(`user_version = ${file.number}`);
  if (worksFrom !== undefined)
    database
      .prepare('insert into schema_version (number, works_from) values (?, ?)')
      .run(file.number, worksFrom);
}

/**
 * Brings a SQLite file to the newest schema. Each file runs once, in one transaction with its number in `user_version`,
 * so that two starters, or a crash in between, leave a whole schema. References are checked only at the end, so that a
 * table can be rebuilt while other tables refer to it.
 * @throws {Error} when a newer version wrote the file and this one does not work with it
 */
export function migrate(database: Sqlite.Database, folder: string): void {
  const files = migrationFiles(folder);
  const apply = database.transaction(() => {
    const current = database.pragma('user_version', { simple: true }) as number;
    requireUsableSchema(current, files.at(-1)?.number ?? 0, stepsOf(database));
    const newer = files.filter(({ number }) => number > current);
    for (const file of newer) applyOne(database, file);
    if (newer.length > 0) requireWholeReferences(database);
  });
  database.pragma('foreign_keys = OFF');
  apply.immediate();
  database.pragma('foreign_keys = ON');
}
