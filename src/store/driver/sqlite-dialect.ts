import { setTimeout as delay } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from 'kysely';
import type { ConnectionUse } from './connection-use.ts';

/** How long a write waits for the lock of another process, or for the writes before it, in milliseconds. */
const PATIENCE = 5000;

const AGAIN_AFTER = 10;

function isBusy(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  // A snapshot that is too old stays too old.
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY') && code !== 'SQLITE_BUSY_SNAPSHOT';
}

/**
 * A statement that met a lock has done nothing. The statement is tried again, while the process continues with other
 * work.
 */
async function patiently<T>(use: ConnectionUse, run: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const until = begun + PATIENCE;
  let isLate = false;
  for (;;) {
    try {
      const done = await use.run(run);
      if (isLate) use.noteLock(performance.now() - begun);
      return done;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) throw error;
      isLate = true;
      await delay(AGAIN_AFTER * (0.5 + Math.random()));
    }
  }
}

/** The failure of work whose turn came too late, in the form of SQLite's own failure. */
const tooLate = () =>
  Object.assign(new Error('the writes before this one took too long'), { code: 'SQLITE_BUSY' });

/**
 * A plain `begin` takes the write lock only at the first write, and fails at once when another process wrote in
 * between. `begin immediate` waits for the lock instead. The binding is synchronous: SQLite's own waiting would block
 * every caller of the process, so this driver waits for locks.
 */
class PatientDriver extends SqliteDriver {
  readonly #database: SqliteDialectConfig['database'];
  readonly #use: ConnectionUse;
  readonly #patient = new WeakSet<DatabaseConnection>();
  constructor(config: SqliteDialectConfig, use: ConnectionUse) {
    super(config);
    this.#database = config.database;
    this.#use = use;
  }
  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await this.#acquireInTime();
    if (this.#patient.has(connection)) return connection;
    this.#patient.add(connection);
    const execute = connection.executeQuery.bind(connection);
    return Object.assign(connection, {
      executeQuery: (query: CompiledQuery) => patiently(this.#use, () => execute(query)),
    });
  }
  /**
   * Each write before may have waited for a lock as long as it can. So work whose turn comes too late fails at once, and
   * the queue is as short in time as one wait.
   */
  async #acquireInTime(): Promise<DatabaseConnection> {
    const begun = performance.now();
    const connection = await this.#use.take(() => super.acquireConnection());
    try {
      if (performance.now() - begun > PATIENCE) throw tooLate();
      // A transaction whose end failed is still open. Work in it would count as done, and be lost with it.
      if (this.#isInTransaction()) await super.rollbackTransaction(connection);
      return connection;
    } catch (error) {
      await this.releaseConnection();
      throw error;
    }
  }
  #isInTransaction(): boolean {
    return 'inTransaction' in this.#database && this.#database.inTransaction === true;
  }
  override async releaseConnection(): Promise<void> {
    this.#use.giveBack();
    await super.releaseConnection();
  }
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
  /** On a full disk SQLite has rolled back already. A second rollback would fail and hide the reason. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (!this.#isInTransaction()) return;
    await super.rollbackTransaction(connection);
  }
}

export class PatientDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;
  readonly #use: ConnectionUse;
  constructor(config: SqliteDialectConfig, use: ConnectionUse) {
    super(config);
    this.#config = config;
    this.#use = use;
  }
  override createDriver(): Driver {
    return new PatientDriver(this.#config, this.#use);
  }
}
