import type { EpochFile, RememberedInstance } from '../../store/files/epoch-file.ts';
import { readInstance } from '../../store/instance/instance.ts';
import type { Store } from '../../store/driver/store.ts';
import { isSameDatabase } from './same-database.ts';

/**
 * Finds the database that VAR_DIR belongs to. A take-over makes VAR_DIR remember the copy. If the former database still
 * exists, its bridge would count as an older copy after its next start.
 */

/** The database of a version that stored no name in the file: on SQLite, the default database beside the file. */
const DEFAULT_DATABASE = 'sqlite:bridge.db';

async function guessName(file: EpochFile, kept: RememberedInstance, store?: Store): Promise<string> {
  const row = store && (await readInstance(store.durable));
  // The row of a PostgreSQL copy still has the place of the original.
  if (row && row.id === kept.id && row.place !== '') return `postgres:${row.place}`;
  return file.findFile(DEFAULT_DATABASE) ? DEFAULT_DATABASE : file.nameOf('');
}

/**
 * Describes the PostgreSQL database in words. Where both databases are on one server, that server is asked; undefined
 * where the database no longer exists.
 */
async function findThere(name: string, present: string, store?: Store): Promise<string | undefined> {
  const [server = '', number = ''] = name.replace('postgres:', '').split('/');
  const isHere = server !== '' && present.startsWith(`postgres:${server}/`);
  if (!store || !isHere) return 'a PostgreSQL database on another server';
  const row = await store.first<{ name: string }>(
    'select datname::text as name from pg_database where oid = $1::oid',
    [number],
  );
  return row && `the PostgreSQL database ${row.name}`;
}

/** Only a missing file inside VAR_DIR is surely gone. Another folder may be a volume that is not mounted here. */
function findFile(name: string, file: EpochFile): string | undefined {
  const isOutside = name.startsWith('sqlite:..');
  return (
    file.findFile(name) ??
    (isOutside ? 'a SQLite file outside VAR_DIR that this machine does not see' : undefined)
  );
}

/**
 * The database that VAR_DIR belongs to, in words, if another database than the present one owns VAR_DIR and may still
 * exist. Undefined where VAR_DIR may remember the present database instead.
 */
export async function findOtherDatabase(file: EpochFile, store?: Store): Promise<string | undefined> {
  const kept = file.read();
  if (!kept) return undefined;
  const present = file.nameOf((await store?.place()) ?? '');
  const name = kept.database ?? (await guessName(file, kept, store));
  if (isSameDatabase(name, present)) return undefined;
  return name.startsWith('sqlite:') ? findFile(name, file) : findThere(name, present, store);
}

/** Why a command or a start does not make VAR_DIR remember another database. */
export function foreignFolderWords(varDir: string, other: string): string {
  return `VAR_DIR: ${varDir} belongs to another database, ${other}`;
}

/** The remedy for an operator. */
export const FOREIGN_FOLDER_REMEDY =
  'For a drill, set a separate VAR_DIR. If the other database is gone for good, was moved here, or will never be served again: grantbridge restore --take-over --replace-original';
