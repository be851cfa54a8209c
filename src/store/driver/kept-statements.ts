import { LRUCache } from 'lru-cache';
import type { Database, Statement } from 'better-sqlite3';

/** Far more texts than the calls of the old API need. */
const MOST_KEPT = 200;

/** A longer text is a statement about many rows: it is large in memory, and its number of rows seldom comes again. */
const LONGEST_KEPT = 4000;

/**
 * A connection for kysely that prepares a text once: kysely asks for a new statement at every execution. A statement
 * that still runs is never given away a second time.
 */
export function withKeptStatements(connection: Database) {
  const kept = new LRUCache<string, Statement>({ max: MOST_KEPT });
  return {
    close: () => void connection.close(),
    get inTransaction() {
      return connection.inTransaction;
    },
    prepare(text: string): Statement {
      const known = kept.get(text);
      if (known && !known.busy) return known;
      const statement = connection.prepare(text);
      if (text.length <= LONGEST_KEPT) kept.set(text, statement);
      return statement;
    },
  };
}
