/**
 * The SQLite file of the embedded new API: opening and migrations. Most other files in store/ own one group of tables
 * each. The bridge uses none of these files.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Sqlite } from '../../shared/sqlite.ts';
import { projectRoot } from '../../shared/project-root.ts';

type Database = Sqlite.Database;
export type { Database };

const migrationsDirectory = join(projectRoot, 'db', 'modern');

// SQLite gives the -wal and -shm files the mode of the database file. A private database file makes all three private.
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
}

function migrate(db: Database): void {
  db.exec('create table if not exists migrations (name text primary key, applied_at text not null) strict');
  const applied = new Set(db.prepare<[], string>('select name from migrations').pluck().all());
  const pending = readdirSync(migrationsDirectory)
    .filter((name) => name.endsWith('.sql') && !applied.has(name))
    .toSorted();
  const record = db.prepare('insert into migrations (name, applied_at) values (?, ?)');
  for (const name of pending) {
    db.exec(readFileSync(join(migrationsDirectory, name), 'utf8'));
    record.run(name, new Date().toISOString());
  }
}

/**
 * Opens and migrates `file` (`:memory:` for a throw-away store). `synchronous = full`, because a rotated refresh token
 * that is lost in a power cut is a lost grant.
 */
export function openDatabase(file: string): Database {
  if (file !== ':memory:') createPrivately(file);
  const db = new Sqlite(file, { timeout: 5000 });
  db.pragma('journal_mode = wal');
  db.pragma('synchronous = full');
  db.pragma('foreign_keys = on');
  db.transaction(migrate).immediate(db);
  return db;
}
