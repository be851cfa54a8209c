import type { CompanySignInDeps } from '../../domain/authorization/deps.ts';
import type { LiveFeed } from '../../domain/live/live-feed.ts';
import type { PagesDeps } from '../pages/deps.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export interface SigninDeps extends PagesDeps, CompanySignInDeps {
  live: LiveFeed;
}
