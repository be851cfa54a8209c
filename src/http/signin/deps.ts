import type { LiveFeed } from '../../domain/live/live-feed.ts';
import type { PagesDeps } from '../pages/deps.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export interface SigninDeps extends PagesDeps {
  live: LiveFeed;
}
