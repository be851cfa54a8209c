import type { DomainSettings } from '../domain-settings.ts';
import type { InstanceWatch } from './instance-watch.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Vault } from '../../shared/secrets.ts';
import type { DatabaseClock } from '../../store/driver/database-clock.ts';
import type { Store } from '../../store/driver/store.ts';

/** The parts of the context that this room uses. */
export interface InstanceDeps {
  settings: DomainSettings;
  store: Store;
  clock: Clock;
  databaseClock: Pick<DatabaseClock, 'machineOffset' | 'sampleAge'> | undefined;
  vault: Vault;
  logger: Logger;
  instance: InstanceWatch;
  anchorsFile: string;
}
