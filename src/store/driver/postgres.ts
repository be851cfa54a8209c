import { createHash } from 'node:crypto';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type RawBuilder,
  sql,
} from 'kysely';
import pg from 'pg';
import { createLookUpBatches } from './look-up-batches.ts';
import { ConnectionUse, type DatabaseListener, NOBODY_LISTENS } from './connection-use.ts';
import { isNewEnough, migratePostgres } from './schema/migrate-postgres.ts';
import { driverAddress, onOneConnection, READ_LIMIT, streamOf } from './postgres-connection.ts';
import { createQueueForecast } from './queue-forecast.ts';
import { createQueueProbe } from './queue-probe.ts';
import { retryConflicts } from './retry-conflicts.ts';
import { asStorageFault } from './storage-fault.ts';
import type { Store } from './store.ts';
import type { Tables, VolatileTables } from '../tables/tables.ts';

/** Connections of one process; times in milliseconds. */
const POOL = {
  max: 10,
  connectionTimeoutMillis: 5000,
  idleTimeoutMillis: 30_000,
  // A process that is paused inside a transaction must not lock its rows for ever.
  idle_in_transaction_session_timeout: 5000,
  statement_timeout: 10_000,
  lock_timeout: 5000,
  keepAlive: true,
  application_name: 'grantbridge',
};

/**
 * A claim that meets another claim waits for the other and then checks again. Only whole transactions are serializable.
 */
const ISOLATION = '-c default_transaction_isolation=read\\ committed';

/** The options in the address would replace options given beside the address. Of two equal settings the later wins. */
function withIsolation(url: string): string {
  const address = new URL(driverAddress(url));
  const own = address.searchParams.get('options') ?? '';
  address.searchParams.set('options', `${own} ${ISOLATION}`.trim());
  return address.href;
}

/** Longer than any statement may take. After this silence the server, or the way to the server, is gone. */
const SILENCE_LIMIT = 12_000;

const INT8 = 20;

/** Times are bigint columns, all far below 2^53. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : (pg.types.getTypeParser(oid, format) as (value: string) => unknown),
};

/**
 * PostgreSQL text cannot hold a NUL. The NUL is replaced, so that the parameter equals no value and causes no database
 * error.
 */
function storable(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value) => {
    if (typeof value === 'string') return value.replaceAll('\0', '\u{FFFD}');
    return Array.isArray(value) ? storable(value) : value;
  });
}

function fail(error: unknown): never {
  throw asStorageFault(error);
}

/** Marks every failure of a connection as a database failure, and makes parameters storable. */
class MarkingDriver extends PostgresDriver {
  readonly #use: ConnectionUse;
  readonly #marked = new WeakSet<DatabaseConnection>();
  constructor(config: PostgresDialectConfig, use: ConnectionUse) {
    super(config);
    this.#use = use;
  }
  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await this.#use.take(() => super.acquireConnection()).catch(fail);
    if (this.#marked.has(connection)) return connection;
    this.#marked.add(connection);
    const execute = connection.executeQuery.bind(connection);
    return Object.assign(connection, {
      executeQuery: (query: CompiledQuery) =>
        this.#use.run(() => execute({ ...query, parameters: storable(query.parameters) })).catch(fail),
    });
  }
}

class MarkingDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;
  readonly #use: ConnectionUse;
  constructor(config: PostgresDialectConfig, use: ConnectionUse) {
    super(config);
    this.#config = config;
    this.#use = use;
  }
  override createDriver(): Driver {
    return new MarkingDriver(this.#config, this.#use);
  }
}

/**
 * A broken connection is replaced, and its user gets the error with the next statement. Each connection needs a
 * listener: without one the first break, while idle or between two statements of a transaction, would end the process.
 */
function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ ...POOL, connectionString: withIsolation(url), types });
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    const stream = streamOf(client);
    stream.setTimeout(SILENCE_LIMIT, () => stream.destroy());
  });
  return pool.on('error', () => undefined);
}

/**
 * Runs a prepared statement. A statement that was prepared before a newer version added a column fails (SQLSTATE
 * 0A000), and its connection is then closed. In the worst case each connection of the pool has one outdated statement.
 */
async function runPrepared(pool: pg.Pool, statement: pg.QueryConfig): Promise<pg.QueryResult> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await pool.query(statement);
    } catch (error) {
      const isOutdated = (error as { code?: unknown }).code === '0A000' && attempt <= POOL.max;
      if (!isOutdated) throw asStorageFault(error);
    }
  }
}

/** Each connection prepares a statement once under the statement's name. */
function preparedReader(pool: pg.Pool, use: ConnectionUse) {
  const names = new Map<string, string>();
  return async <Row>(text: string, parameters: ReadonlyArray<string | null>) => {
    const name = names.get(text) ?? createHash('sha256').update(text).digest('hex').slice(0, 32);
    names.set(text, name);
    const { rows } = await use.run(() => runPrepared(pool, { name, text, values: storable(parameters) }));
    return rows as Row[];
  };
}

/** Serializable, so that the data that was read is still true at the commit. After a conflict `work` runs again. */
async function transact<T>(db: Kysely<Tables>, work: Parameters<Store['transaction']>[0]): Promise<T> {
  const transaction = db.transaction().setIsolationLevel('serializable');
  return retryConflicts(async () => (await transaction.execute(work)) as T);
}

async function setting(on: pg.Pool | pg.Client, name: string): Promise<string> {
  const { rows } = await on.query<{ value: string }>('select current_setting($1) as value', [name]);
  return rows[0]?.value ?? '';
}

/** An answer leaves after its commit, so the database must keep the commit (docs/decisions/0009). */
async function requireDurableCommits(client: pg.Client): Promise<void> {
  if ((await setting(client, 'synchronous_commit')) === 'off')
    throw new Error('synchronous_commit is off on the server: a crash could lose commits');
}

async function findCommitProblem(pool: pg.Pool): Promise<string | undefined> {
  if ((await setting(pool, 'synchronous_commit')) === 'off')
    return 'synchronous_commit is off: a crash could lose commits';
  return (await setting(pool, 'fsync')) === 'on' ? undefined : 'fsync is off: a power cut could lose commits';
}

const PLACE = {
  number: 'select oid::text as part from pg_database where datname = current_database()',
  server: 'select system_identifier::text as part from pg_control_system()',
};

const INSUFFICIENT_PRIVILEGE = '42501';

const expressionOf = (server: RawBuilder<unknown>) =>
  sql<string>`concat(${server}, '/', (${sql.raw(PLACE.number)}))`;

const WITH_SERVER = expressionOf(sql`(${sql.raw(PLACE.server)})`);
const WITHOUT_SERVER = expressionOf(sql.lit(''));

/** A restored dump has another database number. A database on another server has another server identifier. */
function placeOf(pool: pg.Pool): Pick<Store, 'place' | 'placeExpression'> {
  // A refusal inside a transaction would end the transaction, so the expression goes by the last answer outside.
  let mayAskServer = true;
  const ask = async (question: string) => (await pool.query<{ part: string }>(question)).rows[0]?.part ?? '';
  const askServer = async () => {
    try {
      const server = await ask(PLACE.server);
      mayAskServer = true;
      return server;
    } catch (error) {
      if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error;
      mayAskServer = false;
      return '';
    }
  };
  return {
    async place() {
      try {
        const number = await ask(PLACE.number);
        return `${await askServer()}/${number}`;
      } catch (error) {
        throw asStorageFault(error);
      }
    },
    placeExpression: () => (mayAskServer ? WITH_SERVER : WITHOUT_SERVER),
  };
}

const connectionsOf = ({ totalCount, idleCount, waitingCount }: pg.Pool) => ({
  open: totalCount,
  idle: idleCount,
  waiting: waitingCount,
});

const passThrough = async (pool: pg.Pool) => (await pool.connect()).release();

/**
 * How long a statement waits for a connection of the pool. A probe that waits too knows that for certain, but late. The forecast
 * sees a queue as soon as the queue stands there, but goes wrong where nobody gets a connection any more.
 */
function connectionWaitOf(pool: pg.Pool): () => number {
  let served = 0;
  pool.on('acquire', () => {
    served += 1;
  });
  const waiting = () => pool.waitingCount;
  const probe = createQueueProbe({ waiting, pass: () => passThrough(pool) });
  const forecast = createQueueForecast({ waiting, served: () => served });
  return () => Math.max(probe(), forecast(performance.now()));
}

/**
 * A command must not wait for the lock of the migrations, so a database of the newest schema is opened without the
 * lock.
 */
async function prepareDatabase(url: string): Promise<void> {
  let isReady = false;
  const look = async (client: pg.Client) => {
    await requireDurableCommits(client);
    isReady = await isNewEnough(client);
  };
  await onOneConnection(url, look, READ_LIMIT);
  if (!isReady) await onOneConnection(url, migratePostgres);
}

/**
 * Opens (and migrates) the PostgreSQL store: one database whose volatile tables are unlogged.
 * @throws {Error} in plain words, without the address's password
 */
export async function openPostgresStore(
  url: string,
  listener: DatabaseListener = NOBODY_LISTENS,
): Promise<Store> {
  await prepareDatabase(url);
  const pool = openPool(url);
  const use = new ConnectionUse(listener);
  const dialect = new MarkingDialect({ pool }, use);
  const durable = new Kysely<Tables>({ dialect });
  const volatile = new Kysely<VolatileTables>({ dialect });
  const read = preparedReader(pool, use);
  const first = async <Row>(text: string, values: readonly string[]) => (await read<Row>(text, values))[0];
  const clock = CompiledQuery.raw('select (extract(epoch from clock_timestamp()) * 1000)::int8 as now');
  return {
    durable,
    aside: durable,
    volatile,
    transaction: (work) => transact(durable, work),
    first,
    firstSoon: createLookUpBatches(read),
    rows: read,
    volatileRows: read,
    now: async () => (await durable.executeQuery<{ now: number }>(clock)).rows[0]?.now ?? Number.NaN,
    ...placeOf(pool),
    findCommitProblem: () => findCommitProblem(pool),
    findProblem: () => findCommitProblem(pool),
    connections: () => connectionsOf(pool),
    connectionWait: connectionWaitOf(pool),
    close: () => pool.end(),
  };
}
