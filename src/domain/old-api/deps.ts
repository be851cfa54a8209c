import type { IdsDeps } from '../ids/deps.ts';
import type { SharedCounts } from '../limits/shared-counts.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface OldApiDeps extends IdsDeps {
  counts: SharedCounts;
}
