import { openWorkshop, type Workshop } from '../workshop.ts';
import { readConfig } from '../config.ts';
import { upstreamFor } from '../embedded-client.ts';
import { createLogger } from '../shared/logger.ts';

/** Runs one use case on the configured database and closes it again. */
export async function withWorkshop<T>(work: (workshop: Workshop) => Promise<T>): Promise<T> {
  const config = readConfig();
  const logger = createLogger({ level: config.logLevel === 'debug' ? 'debug' : 'warn', name: 'command' });
  const workshop = await openWorkshop(config, upstreamFor(config), { logger });
  try {
    return await work(workshop);
  } finally {
    await workshop.close();
  }
}
