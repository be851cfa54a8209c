import { LRUCache } from 'lru-cache';
import type { Sqlite } from '../../../shared/sqlite.ts';
import { rowMaker } from './row-maker.ts';

/** Far more texts than the calls of the old API need. */
const MOST_KEPT = 200;

/** A longer text is a statement about many rows: it is large in memory, and its number of rows seldom comes again. */
const LONGEST_KEPT = 4000;

/** A statement as kysely's driver runs it. */
interface DriverStatement {
  reader: boolean;
  all(parameters: readonly unknown[]): unknown[];
  run: Sqlite.Statement['run'];
  iterate(parameters: readonly unknown[]): IterableIterator<unknown>;
}

/** A text that does not name its columns, such as `select *`: another process may change the table meanwhile. */
export const HAS_OPEN_COLUMNS = /[\s.]\*/;

function driverStatement(statement: Sqlite.Statement, text: string): DriverStatement {
  if (!statement.reader || HAS_OPEN_COLUMNS.test(text)) return statement;
  const rowOf = rowMaker(statement.columns().map(({ name }) => name));
  const raw = statement.raw();
  return {
    reader: true,
    all: (parameters) => (raw.all(parameters) as unknown[][]).map(rowOf),
    run: (...parameters) => raw.run(...parameters),
    *iterate(parameters) {
      for (const values of raw.iterate(parameters)) yield rowOf(values as unknown[]);
    },
  };
}

interface KeptStatement {
  prepared: Sqlite.Statement;
  statement: DriverStatement;
}

/**
 * A connection for kysely that prepares a text once: kysely asks for a new statement at every execution. A statement
 * that still runs is never given away a second time.
 */
export function withKeptStatements(connection: Sqlite.Database) {
  const kept = new LRUCache<string, KeptStatement>({ max: MOST_KEPT });
  return {
    close: () => void connection.close(),
    get inTransaction() {
      return connection.inTransaction;
    },
    prepare(text: string): DriverStatement {
      const known = kept.get(text);
      if (known && !known.prepared.busy) return known.statement;
      const prepared = connection.prepare(text);
      const statement = driverStatement(prepared, text);
      if (text.length <= LONGEST_KEPT) kept.set(text, { prepared, statement });
      return statement;
    },
  };
}
