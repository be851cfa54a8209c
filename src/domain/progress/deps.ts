import type { UsageDeps } from '../usage/deps.ts';
import type { Shutdown } from '../work/shutdown.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export interface ProgressDeps extends UsageDeps {
  shutdown: Shutdown;
}
