import type { DomainSettings } from '../domain-settings.ts';
import type { KeysDeps } from '../keys/deps.ts';
import type { Logger } from '../../shared/log/logger.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export interface AppsDeps extends KeysDeps {
  settings: DomainSettings;
  logger: Logger;
}
