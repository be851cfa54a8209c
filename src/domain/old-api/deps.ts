import type { IdsDeps } from '../ids/deps.ts';
import type { SharedCounts } from '../limits/shared-counts.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export interface OldApiDeps extends IdsDeps {
  counts: SharedCounts;
}
