import type { SigninDeps } from '../signin/deps.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export type SiteDeps = SigninDeps;
