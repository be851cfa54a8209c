import type { DomainSettings } from '../domain-settings.ts';
import type { Overload } from './overload/overload.ts';
import type { SharedCounts } from './shared-counts.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Store } from '../../store/driver/store.ts';
import type { AuthorizationServer } from '../../upstream/authorization-server.ts';
import type { ModernApiClients } from '../../upstream/modern-sides.ts';

/** The parts of the context that this room uses. */
export interface LimitsDeps {
  settings: DomainSettings;
  store: Store;
  clock: Clock;
  logger: Logger;
  server: AuthorizationServer;
  sides: ModernApiClients;
  counts: SharedCounts;
  overload: Overload;
}
