import type { LimitsDeps } from '../limits/deps.ts';
import type { RefusalRecorder } from '../../shared/log/refusal-log.ts';
import type { TokensDeps } from '../tokens/deps.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface ReadsDeps extends LimitsDeps, TokensDeps {
  /** Tells of answers that were not new, with a limit for each app. */
  lastKnownLines: RefusalRecorder;
}
