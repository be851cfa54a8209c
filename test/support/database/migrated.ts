import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DatabaseLocation } from '../../../src/store/driver/open-store.ts';
// Not by openStore, which loads its driver when it is called: jest transforms what the global set-up loads only until that ends.
import { openPostgresStore } from '../../../src/store/driver/postgres.ts';
import { openSqliteStore, volatileFileOf } from '../../../src/store/driver/sqlite.ts';
import { createDatabase, newName, serverUrl, type TestDatabase } from './database.ts';

/**
 * Databases with the newest schema, as copies of one that the migrations made at the start of the run: the migrations
 * take most of the time in which a bridge starts. Tests of the migrations, and of a first start, begin with none.
 */

/** The database on the PostgreSQL of the run that is copied. Nobody is connected to it. */
const ORIGINAL = 'migrated';

/** Set where jest runs the tests (global-setup.ts); elsewhere a database begins empty. */
const originalFile = () => process.env['TEST_MIGRATED_FILE'];

/** Makes the SQLite files that are copied; returns what removes them. */
export async function makeOriginalFile(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'migrated-'));
  const file = join(folder, 'bridge.db');
  await openSqliteStore(file).close();
  process.env['TEST_MIGRATED_FILE'] = file;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Makes the database that is copied, on a PostgreSQL that the run started itself. */
export async function makeOriginalDatabase(server: string): Promise<void> {
  const { url } = await createDatabase(server, ORIGINAL);
  const store = await openPostgresStore(url);
  await store.close();
}

/** Writes SQLite files with the newest schema to this place, unless something is there. */
export function copyMigratedFile(location: DatabaseLocation): void {
  const original = originalFile();
  if (original === undefined || location.kind !== 'sqlite') return;
  const { file } = location;
  if (existsSync(file) || existsSync(volatileFileOf(file))) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  copyFileSync(volatileFileOf(original), volatileFileOf(file));
  copyFileSync(original, file);
}

/** A database with the newest schema that nobody else uses. A PostgreSQL that was given has no original: there it is empty. */
export async function migratedDatabase(): Promise<TestDatabase> {
  const how = process.env['TEST_DATABASE_URL'] ? '' : ` template ${ORIGINAL}`;
  return createDatabase(await serverUrl(), newName(), how);
}
