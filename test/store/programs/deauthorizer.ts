import { PassThrough } from 'node:stream';
import { openContext } from '../../../src/app/open-context.ts';
import { readConfig } from '../../../src/config/config.ts';
import { deauthorize } from '../../../src/domain/tokens/deauthorize.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import type { AppAccount } from '../../../src/store/tokens/mappings.ts';

/** A second process of the bridge that ends the pair of every message and says when it has. */

const config = readConfig(JSON.parse(process.argv[2] ?? '{}') as Record<string, string>);
if (!config.upstream) throw new Error('the settings name no modern side');
const logger = createLogger({ level: 'error', name: 'test', stream: new PassThrough().resume() });
const { context } = await openContext(config, config.upstream, { logger });

process.on('message', (pair: AppAccount) => {
  deauthorize(context, pair, { actor: 'test', requestId: null, reason: 'test' }).then(
    () => process.send?.('ended'),
    (error: unknown) => process.send?.(String(error)),
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
