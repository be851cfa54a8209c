// Sends the mails that are due, as a job of the bridge would, then ends.
import { readConfig } from '../../../../dist/config/config.js';
import { deliverReminders } from '../../../../dist/domain/reminders/deliver.js';
import { createLogger } from '../../../../dist/shared/log/logger.js';
import { openContext } from '../../../../dist/app/open-context.js';

const config = readConfig();
const logger = createLogger({ level: config.logLevel, name: 'delivery' });
const opened = await openContext(config, config.upstream, { logger });
await deliverReminders(opened.context);
await opened.close();
