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
import { createLookUpBatches } from './look-ups/look-up-batches.ts';
import { ConnectionUse, type DatabaseListener, NOBODY_LISTENS } from './connection-use.ts';
import { isNewEnough, migratePostgres, presentNumber } from './schema/migrate-postgres.ts';
import { onOneConnection, READ_LIMIT } from './postgres-connection.ts';
import { openPool, preparedReader, storable } from './postgres-pool.ts';
import { createQueueForecast } from './queue-forecast.ts';
import { createQueueProbe } from './queue-probe.ts';
import { retryConflicts } from './retry-conflicts.ts';
import { asStorageFault } from './storage-fault.ts';
import type { Store } from './store.ts';
import type { Tables, VolatileTables } from '../tables/tables.ts';

/** Connections of one process, and those that look-ups of plain calls have to themselves. */
const [CONNECTIONS, FOR_LOOK_UPS] = [10, 4];

/** A call of the ordinary way asks the database about this often, one statement after the other. */
const STATEMENTS = 6;

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

/**
 * Almost every command writes at its start. The server's own refusal names a statement of the bridge, and not what to do. A
 * `history follow` that runs already waits for a server that takes writes.
 */
async function requireWrites(client: pg.Client): Promise<void> {
  if ((await setting(client, 'transaction_read_only')) === 'on')
    throw new Error(
      'the server takes no writes: it is a standby of another server, or default_transaction_read_only is on for this role or database. Name the server that takes writes',
    );
}

/**
 * In a narrower encoding the server refuses each name or post with a character that it lacks, long after the bridge went to work.
 * `createdb` takes the encoding of the server, which its locale decided. A database that is there already is left alone.
 */
async function requireAllCharacters(client: pg.Client): Promise<void> {
  const encoding = await setting(client, 'server_encoding');
  if (encoding !== 'UTF8')
    throw new Error(
      `the database has the encoding ${encoding}, and names and posts need UTF8. Make another one: createdb --owner=ROLE --encoding=UTF8 --template=template0 NAME`,
    );
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

const sumOf = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);

const connectionsOf = (pools: readonly pg.Pool[], gathered: number) => ({
  open: sumOf(pools.map(({ totalCount }) => totalCount)),
  idle: sumOf(pools.map(({ idleCount }) => idleCount)),
  waiting: gathered + sumOf(pools.map(({ waitingCount }) => waitingCount)),
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
    await requireWrites(client);
    isReady = await isNewEnough(client);
    if (!isReady && (await presentNumber(client)) === 0) await requireAllCharacters(client);
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
  const pool = openPool(url, CONNECTIONS);
  const lookUpPool = openPool(url, FOR_LOOK_UPS);
  const use = new ConnectionUse(listener);
  const dialect = new MarkingDialect({ pool }, use);
  const durable = new Kysely<Tables>({ dialect });
  const volatile = new Kysely<VolatileTables>({ dialect });
  const read = preparedReader(pool, use);
  const first = async <Row>(text: string, values: readonly string[]) => (await read<Row>(text, values))[0];
  const lookUps = createLookUpBatches({
    run: preparedReader(lookUpPool, use),
    atOnce: FOR_LOOK_UPS,
    listener,
  });
  const statementWait = connectionWaitOf(pool);
  const clock = CompiledQuery.raw('select (extract(epoch from clock_timestamp()) * 1000)::int8 as now');
  return {
    durable,
    aside: durable,
    volatile,
    transaction: (work) => transact(durable, work),
    first,
    firstSoon: lookUps.first,
    rows: read,
    volatileRows: read,
    volatileWrite: async (text, values) =>
      void (await volatile.executeQuery(CompiledQuery.raw(text, [...values]))),
    now: async () => (await durable.executeQuery<{ now: number }>(clock)).rows[0]?.now ?? Number.NaN,
    ...placeOf(pool),
    findCommitProblem: () => findCommitProblem(pool),
    findProblem: () => findCommitProblem(pool),
    connections: () => connectionsOf([pool, lookUpPool], lookUps.waiting()),
    connectionWait: () => Math.max(STATEMENTS * statementWait(), lookUps.wait()),
    async close() {
      await Promise.all([pool.end(), lookUpPool.end()]);
    },
  };
}
