import type { Kysely, RawBuilder } from 'kysely';
import type { Soon } from '../../shared/and-then.ts';
import type { ConnectionCounts } from './connection-use.ts';
import type { LookUp } from './look-ups/look-up.ts';
import type { Tables, VolatileTables } from '../tables/tables.ts';

/** A connection to the durable database, inside a transaction or not. */
export type Database = Kysely<Tables>;

/**
 * The domain's view of the databases. `durable` loses no commit in a power cut. `volatile` may lose its last commits
 * and holds only data that can be fetched again. The queries for both kinds are in the folders beside this one, one
 * folder per subject.
 */
export interface Store {
  durable: Database;
  /**
   * The durable database too, for writes that no caller waits for. When another process keeps the database locked,
   * callers do not queue up behind these writes.
   */
  aside: Database;
  volatile: Kysely<VolatileTables>;
  /**
   * Runs `work` in one transaction, with the result as if no other transaction ran in parallel. `work` may run more
   * than once, so it changes only the database. No network call may happen inside.
   */
  transaction<T>(work: (tx: Database) => Promise<T>): Promise<T>;
  /**
   * One committed row by a prepared statement with `$1`, `$2` … parameters, of the durable and the volatile data. For
   * the path of every old call.
   */
  first<Row>(sql: string, parameters: readonly string[]): Promise<Row | undefined>;
  /**
   * The row of a look-up, likewise. Where the database lies in this process, the row is answered at once; else look-ups that
   * come together are asked together, and equal ones share one row, which nobody changes.
   */
  firstSoon<Row>(statement: LookUp, parameters: readonly string[]): Soon<Row | undefined>;
  /** All committed rows, likewise. */
  rows<Row>(sql: string, parameters: readonly string[]): Promise<Row[]>;
  /** All committed rows of the volatile data, likewise. */
  volatileRows<Row>(sql: string, parameters: readonly string[]): Promise<Row[]>;
  /**
   * Runs one statement on the volatile data, with `$1`, `$2` … parameters, each once and in order. It sets values: it may run
   * twice, and others may be committed with it. For the path of every call that asks the new API.
   */
  volatileWrite(sql: string, parameters: readonly unknown[]): Promise<void>;
  /** The database's clock, in Unix milliseconds. */
  now(): Promise<number>;
  /**
   * Names the place of the durable database, so that a copy at another place is recognised as a copy. '' when only the
   * file can tell (SQLite). On PostgreSQL `server identifier/database number`; the identifier is empty when the role
   * may not read it.
   */
  place(): Promise<string>;
  /**
   * The same name as an expression, for a statement in a transaction. The answer of `place` may come from another
   * connection, and the address may lead elsewhere by then.
   */
  placeExpression(): RawBuilder<string>;
  /** Why the database could lose commits; undefined when commits are safe. */
  findCommitProblem(): Promise<string | undefined>;
  /** A defect of the database as a whole, for a person to act on; undefined when the database is sound. */
  findProblem(): Promise<string | undefined>;
  /** The connections of this process. */
  connections(): ConnectionCounts;
  /**
   * How long a call waits for connections at present, with all its statements together, in milliseconds. 0 where reads have
   * a connection of their own (SQLite).
   */
  connectionWait(): number;
  close(): Promise<void>;
}
