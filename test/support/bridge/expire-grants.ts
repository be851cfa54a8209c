import Database from 'better-sqlite3';

/**
 * Lets the access tokens of all grants in a running bridge's SQLite file be over, so that the next read refreshes. A
 * short life of the tokens would do the same on a fast machine alone: on a slow one a second refresh follows.
 */
export function expireGrants(file: string): void {
  const db = new Database(file);
  db.prepare('update grants set access_expires_at = ?').run(Date.now() - 1000);
  db.close();
}
