import type { OldApiDeps } from '../old-api/deps.ts';

/** This room uses no part of the context itself; the rooms that it calls do. */
export type AuthorizationDeps = OldApiDeps;
