import type { UsageDeps } from '../usage/deps.ts';
import type { Shutdown } from '../work/shutdown.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface ProgressDeps extends UsageDeps {
  shutdown: Shutdown;
}
