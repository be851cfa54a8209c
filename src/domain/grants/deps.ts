import type { DomainSettings } from '../domain-settings.ts';
import type { ClaimAge } from './refresh/claim-age.ts';
import type { FleetSize } from './refresh/fleet-size.ts';
import type { RefreshSlots } from './refresh/refresh-limit.ts';
import type { SilentTurn } from './refresh/stop/breaker-rules.ts';
import type { WaitingCallers } from './refresh/waiting-callers.ts';
import type { InstanceWatch } from '../instance/instance-watch.ts';
import type { KeysDeps } from '../keys/deps.ts';
import type { WorkDeps } from '../work/deps.ts';
import type { Shutdown } from '../work/shutdown.ts';
import type { Metrics } from '../../shared/metrics/metrics.ts';
import type { Spill } from '../../store/files/spill.ts';
import type { AuthorizationServer } from '../../upstream/authorization-server.ts';
import type { ModernApiClients } from '../../upstream/modern-sides.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface GrantsDeps extends KeysDeps, WorkDeps {
  settings: DomainSettings;
  server: AuthorizationServer;
  sides: ModernApiClients;
  places: RefreshSlots;
  shutdown: Shutdown;
  watch: ClaimAge;
  fleet: FleetSize;
  silentTurn: SilentTurn;
  callers: WaitingCallers;
  instance: InstanceWatch;
  spill: Spill;
  metrics: Metrics;
  chance(): number;
}
