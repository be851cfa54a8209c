import { createHash } from 'node:crypto';
import pg from 'pg';
import type { ConnectionUse } from './connection-use.ts';
import { driverAddress, streamOf } from './postgres-connection.ts';
import { asStorageFault } from './storage-fault.ts';

/** The connections of a process to PostgreSQL, and what every statement on them needs. */

/** Times in milliseconds. */
const OPTIONS = {
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
export function storable(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value) => {
    if (typeof value === 'string') return value.replaceAll('\0', '\u{FFFD}');
    return Array.isArray(value) ? storable(value) : value;
  });
}

/**
 * A broken connection is replaced, and its user gets the error with the next statement. Each connection needs a
 * listener: without one the first break, while idle or between two statements of a transaction, would end the process.
 */
export function openPool(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({ ...OPTIONS, max, connectionString: withIsolation(url), types });
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
      const isOutdated = (error as { code?: unknown }).code === '0A000' && attempt <= pool.options.max;
      if (!isOutdated) throw asStorageFault(error);
    }
  }
}

/** Each connection prepares a statement once under the statement's name. */
export function preparedReader(pool: pg.Pool, use: ConnectionUse) {
  const names = new Map<string, string>();
  return async <Row>(text: string, parameters: ReadonlyArray<string | null>) => {
    const name = names.get(text) ?? createHash('sha256').update(text).digest('hex').slice(0, 32);
    names.set(text, name);
    const { rows } = await use.run(() => runPrepared(pool, { name, text, values: storable(parameters) }));
    return rows as Row[];
  };
}
