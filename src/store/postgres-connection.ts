import type { Socket } from 'node:net';
import pg from 'pg';

/** The socket under a connection, for what the library has no setting for. */
export function streamOf(client: pg.Client | pg.PoolClient): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

/** An error of the server or the driver, without the address and its password. */
function inPlainWords(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  if (message?.includes('password must be a string'))
    return 'the server wants a password and the address holds none';
  return message || code || 'no connection';
}

/**
 * Runs `work` on a connection of its own, without the limits of the pool: a migration, or waiting for one, may take its
 * time. Whatever goes wrong, no half-open connection keeps the process.
 * @throws {Error} in plain words
 */
export async function onOneConnection(
  url: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work(client);
    await client.end();
  } catch (cause) {
    throw new Error(`DATABASE_URL: ${inPlainWords(cause)}`, { cause });
  } finally {
    streamOf(client).destroy();
  }
}
