import type { DomainSettings } from '../domain-settings.ts';
import type { KeysDeps } from '../keys/deps.ts';
import type { Logger } from '../../shared/log/logger.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface AppsDeps extends KeysDeps {
  settings: DomainSettings;
  logger: Logger;
}
