import type { LifecycleWatch } from './lifecycle-watch.ts';
import type { UsageDeps } from '../usage/deps.ts';
import type { UsageLog } from '../usage/usage.ts';
import type { Vault } from '../../shared/secrets.ts';
import type { OldBackend } from '../../upstream/old-backend.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export interface LifecycleDeps extends UsageDeps {
  vault: Vault;
  oldBackend: OldBackend | undefined;
  lifecycle: LifecycleWatch;
  usage: UsageLog;
}
