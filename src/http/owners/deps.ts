import type { LiveDeps } from '../../domain/live/deps.ts';

/** This room uses no part of the context itself; the rooms that it calls do. */
export type OwnersDeps = LiveDeps;
