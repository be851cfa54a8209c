import { type Config, readConfig } from '../../config/config.ts';
import { upstreamFor } from '../../app/embedded-client.ts';
import { createLogger } from '../../shared/log/logger.ts';
import { openStore } from '../../store/driver/open-store.ts';
import { readSchema, schemaProblem } from '../../store/driver/schema/schema-state.ts';
import type { Store } from '../../store/driver/store.ts';
import { findLostDatabase } from '../../store/files/epoch-file.ts';
import { epochFileOf, openContext, type Overrides, type OpenContext } from '../../app/open-context.ts';

async function requireSchema(config: Config): Promise<void> {
  const { database } = config;
  const lost = await findLostDatabase(epochFileOf(config), database);
  const problem = lost ?? schemaProblem(database, await readSchema(database));
  if (problem !== undefined) throw new Error(problem);
}

/** Runs one use case on the configured database, with the newest schema, and closes the database again. */
export async function withNewestSchema<T>(
  work: (opened: OpenContext) => Promise<T>,
  overrides: Pick<Overrides, 'isLook'> = {},
): Promise<T> {
  const config = readConfig();
  const logger = createLogger({ level: config.logLevel === 'debug' ? 'debug' : 'warn', name: 'command' });
  const opened = await openContext(config, upstreamFor(config), { logger, ...overrides });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/**
 * Runs one use case on the configured database and closes the database again. Makes no database and changes no schema:
 * a first look with a newer version would change the schema under the older version that serves.
 * @throws {Error} in plain words, with the next step, where no database exists or its schema is older
 */
export async function withContext<T>(work: (opened: OpenContext) => Promise<T>): Promise<T> {
  await requireSchema(readConfig());
  return withNewestSchema(work);
}

/** Runs one use case that only reads. The key file may already hold keys that the database does not know. */
export async function lookInContext<T>(work: (opened: OpenContext) => Promise<T>): Promise<T> {
  await requireSchema(readConfig());
  return withNewestSchema(work, { isLook: true });
}

/**
 * Opens the configured database alone, without keys, for a command that reads for hours. Makes no database and changes no
 * schema.
 */
export async function openDatabaseAlone(): Promise<Store> {
  const config = readConfig();
  await requireSchema(config);
  return openStore(config.database);
}
