import type { LifecycleWatch } from '../lifecycle/lifecycle-watch.ts';
import type { UsageDeps } from '../usage/deps.ts';
import type { Shutdown } from '../work/shutdown.ts';
import type { Vault } from '../../shared/secrets.ts';
import type { ModernApiClients } from '../../upstream/modern-sides.ts';
import type { OldBackend } from '../../upstream/old-backend.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface CutOverDeps extends UsageDeps {
  vault: Vault;
  sides: ModernApiClients;
  oldBackend: OldBackend | undefined;
  shutdown: Shutdown;
  lifecycle: LifecycleWatch;
}
