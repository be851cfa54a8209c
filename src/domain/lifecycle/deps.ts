import type { LifecycleWatch } from './lifecycle-watch.ts';
import type { UsageDeps } from '../usage/deps.ts';
import type { UsageLog } from '../usage/usage.ts';
import type { Vault } from '../../shared/secrets.ts';
import type { OldBackend } from '../../upstream/old-backend.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface LifecycleDeps extends UsageDeps {
  vault: Vault;
  oldBackend: OldBackend | undefined;
  lifecycle: LifecycleWatch;
  usage: UsageLog;
}
