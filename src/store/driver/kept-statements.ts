import { LRUCache } from 'lru-cache';
import type { Database, Statement } from 'better-sqlite3';

/** Far more texts than one kind of work has. A text of many rows is seldom equal to another. */
const MOST_KEPT = 200;

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
      kept.set(text, statement);
      return statement;
    },
  };
}
