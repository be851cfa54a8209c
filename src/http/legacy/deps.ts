import type { LiveFeed } from '../../domain/live/live-feed.ts';
import type { DeferredTokenLookup } from '../../domain/usage/deferred-token-lookup.ts';
import type { TraceRecorder } from '../../shared/trace/tracing.ts';
import type { PagesDeps } from '../pages/deps.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface LegacyDeps extends PagesDeps {
  lateTokens: DeferredTokenLookup;
  live: LiveFeed;
  tracing: TraceRecorder | undefined;
}
