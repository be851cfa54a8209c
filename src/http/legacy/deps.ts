import type { LiveFeed } from '../../domain/live/live-feed.ts';
import type { DeferredTokenLookup } from '../../domain/usage/deferred-token-lookup.ts';
import type { PagesDeps } from '../pages/deps.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export interface LegacyDeps extends PagesDeps {
  lateTokens: DeferredTokenLookup;
  live: LiveFeed;
}
