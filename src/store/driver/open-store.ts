import { existsSync } from 'node:fs';
import type { Store } from './store.ts';

/** Where the databases are; a PostgreSQL address may hold a password and is never printed. */
export type DatabaseLocation = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };

/**
 * Opens the databases and brings them to the newest schema.
 * @throws {Error} in plain words when they cannot be opened, are of a newer version, or do not keep what they commit
 */
export async function openStore(location: DatabaseLocation): Promise<Store> {
  // Only the driver that is needed is loaded: commands start sooner.
  if (location.kind === 'sqlite') return (await import('./sqlite.ts')).openSqliteStore(location.file);
  return (await import('./postgres.ts')).openPostgresStore(location.url);
}

/** Whether nothing was ever kept there, as far as can be seen without opening it: only a missing file says so. */
export function isMissing(location: DatabaseLocation): boolean {
  return location.kind === 'sqlite' && !existsSync(location.file);
}

/** The place in words, without the user and password of an address. */
export function describeLocation(location: DatabaseLocation): string {
  if (location.kind === 'sqlite') return location.file;
  const { host, pathname } = new URL(location.url);
  return `PostgreSQL at ${host}${pathname}`;
}
