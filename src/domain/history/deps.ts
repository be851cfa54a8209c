import type { WorkDeps } from '../work/deps.ts';
import type { Shutdown } from '../work/shutdown.ts';
import type { Vault } from '../../shared/secrets.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export interface HistoryDeps extends WorkDeps {
  vault: Vault;
  shutdown: Shutdown;
  anchorsFile: string;
}
