import { PassThrough } from 'node:stream';
import { openContext, type OpenContext } from '../../../src/app/open-context.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';

/** Opens the database and keys of a bridge in this process, which serves nothing and runs no job. */
export function openOwnContext(settings: Record<string, string>): Promise<OpenContext> {
  const config = readConfig(settings);
  if (!config.upstream) throw new Error('the settings name no modern side');
  const logger = createLogger({ level: 'error', name: 'campaign', stream: new PassThrough().resume() });
  return openContext(config, config.upstream, { logger });
}
