import { type Config, readConfig } from '../../config/config.ts';
import { upstreamFor } from '../../app/embedded-client.ts';
import { createLogger } from '../../shared/log/logger.ts';
import { readSchema, schemaProblem } from '../../store/driver/schema-state.ts';
import { findLostDatabase } from '../../store/files/epoch-file.ts';
import { epochFileOf, openContext, type Overrides, type OpenContext } from '../../app/open-context.ts';

async function requireSchema(config: Config): Promise<void> {
  const { database } = config;
  const lost = await findLostDatabase(epochFileOf(config), database);
  const problem = lost ?? schemaProblem(database, await readSchema(database));
  if (problem !== undefined) throw new Error(problem);
}

/** Runs one use case on the configured database, brought to the newest schema, and closes it again. */
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
 * Runs one use case on the configured database and closes it again. It makes no database and changes no schema: a first
 * look with a newer version would move it under the older one that serves.
 * @throws {Error} in plain words, with the next step, where there is none or its schema is an older one
 */
export async function withContext<T>(work: (opened: OpenContext) => Promise<T>): Promise<T> {
  await requireSchema(readConfig());
  return withNewestSchema(work);
}

/** The same for a command that only looks, whose key file may be that of tomorrow. */
export async function lookInContext<T>(work: (opened: OpenContext) => Promise<T>): Promise<T> {
  await requireSchema(readConfig());
  return withNewestSchema(work, { isLook: true });
}
