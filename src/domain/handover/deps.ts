import type { GrantsDeps } from '../grants/deps.ts';

/** This room uses no part of the context itself; the rooms that it calls do. */
export type HandoverDeps = GrantsDeps;
