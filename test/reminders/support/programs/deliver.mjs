// Sends the mails that are due, as a job of the bridge would, then ends.
import { readConfig } from '../../../../dist/config.js';
import { deliverReminders } from '../../../../dist/domain/reminders/deliver.js';
import { createLogger } from '../../../../dist/shared/logger.js';
import { openWorkshop } from '../../../../dist/workshop.js';

const config = readConfig();
const logger = createLogger({ level: config.logLevel, name: 'delivery' });
const workshop = await openWorkshop(config, config.upstream, { logger });
await deliverReminders(workshop.context);
await workshop.close();
