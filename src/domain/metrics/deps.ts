import type { Clock } from '../../shared/clock.ts';
import type { Metrics } from '../../shared/metrics/metrics.ts';
import type { Spill } from '../../store/files/spill.ts';
import type { Store } from '../../store/driver/store.ts';
import type { ModernApiClients } from '../../upstream/modern-sides.ts';
import type { DomainSettings } from '../domain-settings.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { InstanceWatch } from '../instance/instance-watch.ts';

/** The parts of the context that this room uses. */
export interface MetricsDeps {
  store: Store;
  clock: Clock;
  metrics: Metrics;
  sides: ModernApiClients;
  spill: Spill;
  instance: InstanceWatch;
  keyring: Pick<Keyring, 'isInOrder'>;
  settings: Pick<DomainSettings, 'reminderDays'>;
}
