import type { OldApiDeps } from '../old-api/deps.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export type AuthorizationDeps = OldApiDeps;
