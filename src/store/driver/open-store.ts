import { existsSync } from 'node:fs';
import type { DatabaseListener } from './connection-use.ts';
import type { Store } from './store.ts';

/** Where the databases are. A PostgreSQL address may hold a password and is never printed. */
export type DatabaseLocation = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };

/**
 * Opens the databases and brings them to the newest schema.
 * @throws {Error} in plain words when the databases cannot be opened, are of a newer version, or may lose commits
 */
export async function openStore(location: DatabaseLocation, listener?: DatabaseListener): Promise<Store> {
  // Loads only the driver that is needed, so that commands start sooner.
  if (location.kind === 'sqlite')
    return (await import('./sqlite.ts')).openSqliteStore(location.file, listener);
  return (await import('./postgres.ts')).openPostgresStore(location.url, listener);
}

/**
 * Whether the database never existed, as far as is visible without opening the database: only a missing file shows
 * that.
 */
export function isMissing(location: DatabaseLocation): boolean {
  return location.kind === 'sqlite' && !existsSync(location.file);
}

/** The location in words, without the user and password of an address. */
export function describeLocation(location: DatabaseLocation): string {
  if (location.kind === 'sqlite') return location.file;
  const { host, pathname } = new URL(location.url);
  return `PostgreSQL at ${host}${pathname}`;
}
