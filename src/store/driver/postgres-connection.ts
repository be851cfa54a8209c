import type { Socket } from 'node:net';
import pg from 'pg';
import { PlainWords } from '../../shared/log/redaction.ts';
import { unreachedWords } from '../../shared/net/unreached-words.ts';
import { withNextStep } from './refused-access.ts';

/** The socket under a connection, for options that the library lacks. */
export function streamOf(client: pg.Client | pg.PoolClient): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

/**
 * Values of `sslmode` that the driver, without `uselibpqcompat=true`, checks as fully as `verify-full`. The settings take
 * `prefer` for a server on this machine alone.
 */
const CHECKED_FULLY = ['prefer', 'require', 'verify-ca'];

/**
 * The address for the driver, the same on every connection. The driver's next major version checks less for these modes
 * than this version, and warns of the change, so the meaning is fixed here. An address without a host
 * means this machine, whatever `PGHOST` says.
 */
export function driverAddress(url: string): string {
  const address = new URL(url);
  const query = address.searchParams;
  const isFull =
    query.get('uselibpqcompat') !== 'true' && CHECKED_FULLY.includes(query.getAll('sslmode').at(-1) ?? '');
  if (isFull) query.set('sslmode', 'verify-full');
  if (address.hostname === '' && !query.get('host')) query.set('host', 'localhost');
  return address.href;
}

/** The limit for work that only reads, in milliseconds. Such work waits for no migration. */
export const READ_LIMIT = 10_000;

const UNKNOWN_CERTIFICATE =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE))$/;

const FILE_CODES = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'EACCES', 'EPERM'];

/** A file that the address names: the driver reads it before it makes a client. */
function unreadableFile(error: unknown): string | undefined {
  const { path, code = '' } = error as NodeJS.ErrnoException;
  if (!FILE_CODES.includes(code)) return undefined;
  const file = path === undefined ? 'the file' : `the file ${path}`;
  return `${file} of sslrootcert, sslcert or sslkey cannot be read (${code}). Correct the path, or let the user that runs the bridge read the file`;
}

/** The server's own answers are sentences already, and one of them may hold a word such as `timeout`. */
function unreachedServer(error: unknown): string | undefined {
  const unreached = error instanceof pg.DatabaseError ? undefined : unreachedWords(error);
  return unreached && `the server cannot be reached: ${unreached}`;
}

/** An error of the server or the driver, without the address and its password. */
function inPlainWords(error: unknown): string {
  if (error instanceof PlainWords) return error.message;
  const { message, code } = error as { message?: string; code?: string };
  if (message?.includes('password must be a string'))
    return 'the server wants a password, and the address holds no password';
  if (UNKNOWN_CERTIFICATE.test(code ?? ''))
    return 'this machine does not trust the certificate of the server: name its authority with sslrootcert=FILE';
  return unreachedServer(error) ?? withNextStep(error, message || code || 'no connection');
}

/** Closes the connection after the limit, so that pending calls on the connection fail. */
function limitTo(limit: number | undefined, connection: () => pg.Client | undefined) {
  let isLate = false;
  const end = () => {
    isLate = true;
    const client = connection();
    if (client) streamOf(client).destroy();
  };
  const timer = limit === undefined ? undefined : setTimeout(end, limit);
  return { isLate: () => isLate, clear: () => clearTimeout(timer) };
}

const LATE =
  'the server takes the connection and does not answer, or another program holds a lock in the database';

/**
 * Runs `work` on its own connection, without the limits of the pool: a migration, or waiting for a migration, may take
 * long. Work that only reads gets a `limit` in milliseconds. After any failure no half-open connection keeps the
 * process alive.
 * @throws {Error} in plain words
 */
export async function onOneConnection(
  url: string,
  work: (client: pg.Client) => Promise<void>,
  limit?: number,
): Promise<void> {
  let client: pg.Client | undefined;
  const deadline = limitTo(limit, () => client);
  try {
    // Made inside `try`, because the constructor reads the files that the address names.
    client = new pg.Client({ connectionString: driverAddress(url), connectionTimeoutMillis: 5000 });
    client.on('error', () => undefined);
    await client.connect();
    await work(client);
    await client.end();
  } catch (cause) {
    const file = client ? undefined : unreadableFile(cause);
    throw new Error(`DATABASE_URL: ${deadline.isLate() ? LATE : (file ?? inPlainWords(cause))}`, { cause });
  } finally {
    deadline.clear();
    if (client) streamOf(client).destroy();
  }
}
