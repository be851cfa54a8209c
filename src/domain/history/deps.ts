import type { WorkDeps } from '../work/deps.ts';
import type { Shutdown } from '../work/shutdown.ts';
import type { Vault } from '../../shared/secrets.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface HistoryDeps extends WorkDeps {
  vault: Vault;
  shutdown: Shutdown;
  anchorsFile: string;
}
