import { setTimeout as delay } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  SqliteDialect,
  type QueryResult,
  SelectQueryNode,
  SqliteDriver,
} from 'kysely';
import type { ConnectionUse } from './connection-use.ts';
import type { withKeptStatements } from './sqlite-statements/kept-statements.ts';

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
  try {
    for (;;) {
      try {
        return await use.run(run, isBusy);
      } catch (error) {
        if (!isBusy(error)) throw error;
        isLate = true;
        if (performance.now() >= until) throw error;
        await delay(AGAIN_AFTER * (0.5 + Math.random()));
      }
    }
  } finally {
    if (isLate) use.noteLock(performance.now() - begun);
  }
}

/** The failure of work whose turn came too late, in the form of SQLite's own failure. */
const tooLate = () =>
  Object.assign(new Error('the writes before this one took too long'), { code: 'SQLITE_BUSY' });

const isRead = ({ query, sql }: CompiledQuery) => SelectQueryNode.is(query) || /^\s*select\b/i.test(sql);

/** A connection whose statements wait for locks. */
const patient = (use: ConnectionUse, connection: DatabaseConnection): DatabaseConnection => ({
  executeQuery: (query) => patiently(use, () => connection.executeQuery(query)),
  streamQuery: (query, size) => connection.streamQuery(query, size),
});

/**
 * A connection as a piece of work sees it. A read outside a transaction goes to the reader: it sees every commit, and
 * it waits neither for the writes of this process nor for the lock of another. The writer is taken at the first
 * statement of another kind, and kept to the end of the work.
 */
class WorkConnection implements DatabaseConnection {
  readonly #reader: DatabaseConnection;
  readonly #takeWriter: () => Promise<DatabaseConnection>;
  #writer: Promise<DatabaseConnection> | undefined;
  constructor(reader: DatabaseConnection, takeWriter: () => Promise<DatabaseConnection>) {
    this.#reader = reader;
    this.#takeWriter = takeWriter;
  }
  /** The writer, if this work has it. Work that failed to take it has nothing to give back. */
  async writer(): Promise<DatabaseConnection | undefined> {
    return this.#writer?.catch(() => undefined);
  }
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return (await this.#connectionFor(query)).executeQuery<R>(query);
  }
  async *streamQuery<R>(query: CompiledQuery, size: number): AsyncIterableIterator<QueryResult<R>> {
    yield* (await this.#connectionFor(query)).streamQuery<R>(query, size);
  }
  #connectionFor(query: CompiledQuery): DatabaseConnection | Promise<DatabaseConnection> {
    if (this.#writer === undefined && isRead(query)) return this.#reader;
    this.#writer ??= this.#takeWriter();
    return this.#writer;
  }
}

type KeptConnection = ReturnType<typeof withKeptStatements>;

/** Two connections to one file: all writes go to one, reads outside a transaction to the other. */
interface PatientConfig {
  writer: KeptConnection;
  reader: KeptConnection;
  use: ConnectionUse;
}

/**
 * A plain `begin` takes the write lock only at the first write, and fails at once when another process wrote in
 * between. `begin immediate` waits for the lock instead. The binding is synchronous: SQLite's own waiting would block
 * every caller of the process, so this driver waits for locks.
 */
class PatientDriver extends SqliteDriver {
  readonly #config: PatientConfig;
  readonly #reading: SqliteDriver;
  #reader: DatabaseConnection | undefined;
  constructor(config: PatientConfig) {
    super({ database: config.writer });
    this.#config = config;
    this.#reading = new SqliteDriver({ database: config.reader });
  }
  override async init(): Promise<void> {
    await super.init();
    await this.#reading.init();
    // Reads are synchronous, so one connection serves them all.
    this.#reader = patient(this.#config.use, await this.#reading.acquireConnection());
  }
  override async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#reader === undefined) throw new Error('the database was not opened');
    return new WorkConnection(this.#reader, () => this.#takeWriter());
  }
  /**
   * Each write before may have waited for a lock as long as it can. So work whose turn comes too late fails at once, and
   * the queue is as short in time as one wait.
   */
  async #takeWriter(): Promise<DatabaseConnection> {
    const begun = performance.now();
    const { use } = this.#config;
    const connection = await use.take(() => super.acquireConnection());
    try {
      if (performance.now() - begun > PATIENCE) throw tooLate();
      // A transaction whose end failed is still open. Work in it would count as done, and be lost with it.
      if (this.#isInTransaction()) await super.rollbackTransaction(connection);
      return patient(use, connection);
    } catch (error) {
      await this.#giveWriterBack();
      throw error;
    }
  }
  #isInTransaction(): boolean {
    return this.#config.writer.inTransaction;
  }
  async #giveWriterBack(): Promise<void> {
    this.#config.use.giveBack();
    await super.releaseConnection();
  }
  override async releaseConnection(connection?: DatabaseConnection): Promise<void> {
    if (connection instanceof WorkConnection && (await connection.writer())) await this.#giveWriterBack();
  }
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
  /** On a full disk SQLite has rolled back already. A second rollback would fail and hide the reason. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (!this.#isInTransaction()) return;
    await super.rollbackTransaction(connection);
  }
  override async destroy(): Promise<void> {
    await super.destroy();
    await this.#reading.destroy();
  }
}

export class PatientDialect extends SqliteDialect {
  readonly #config: PatientConfig;
  constructor(config: PatientConfig) {
    super({ database: config.writer });
    this.#config = config;
  }
  override createDriver(): Driver {
    return new PatientDriver(this.#config);
  }
}
