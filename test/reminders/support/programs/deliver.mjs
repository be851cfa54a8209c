// Sends the mails that are due, as a job of the bridge would, then ends.
import { readConfig } from '../../../../dist/config/config.js';
import { deliverReminders } from '../../../../dist/domain/reminders/deliver.js';
import { createLogger } from '../../../../dist/shared/log/logger.js';
import { openWorkshop } from '../../../../dist/app/workshop.js';

const config = readConfig();
const logger = createLogger({ level: config.logLevel, name: 'delivery' });
const workshop = await openWorkshop(config, config.upstream, { logger });
await deliverReminders(workshop.context);
await workshop.close();
