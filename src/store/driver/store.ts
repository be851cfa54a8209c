import type { Kysely } from 'kysely';
import type { Tables, VolatileTables } from '../tables/tables.ts';

/** A connection to the durable database, inside a transaction or not. */
export type Database = Kysely<Tables>;

/**
 * What the domain holds of the databases. `durable` loses no commit in a power cut; `volatile` may lose its last ones
 * and holds only what can be asked for again. One file per table next to this one has the queries, for both kinds.
 */
export interface Store {
  durable: Database;
  /**
   * The durable database too, for writes that no caller waits for: where another keeps it locked, callers do not queue up
   * behind them.
   */
  aside: Database;
  volatile: Kysely<VolatileTables>;
  /**
   * Runs `work` in one transaction whose result is as if no other ran beside it; it may run more than once, so it
   * changes nothing but the database. No network call may happen inside.
   */
  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T>;
  /** One committed row by a prepared statement with `$1`, `$2` … parameters; for the path that every legacy call takes. */
  first<Row>(sql: string, parameters: readonly string[]): Promise<Row | undefined>;
  /** The database's clock, in Unix milliseconds. */
  now(): Promise<number>;
  /**
   * Names the place of the durable database, so that a copy of it at another place is known for one; '' where nothing
   * but its file tells (SQLite). On PostgreSQL `server identifier/database number`, the first empty for a role that may
   * not ask for it.
   */
  place(): Promise<string>;
  /** Why the database could lose what it has committed; undefined when it keeps it. */
  findCommitProblem(): Promise<string | undefined>;
  /** What is wrong with the database as a whole, for a person to act on; undefined when it is sound. */
  findProblem(): Promise<string | undefined>;
  close(): Promise<void>;
}
