import type { LifecycleDeps } from '../../domain/lifecycle/deps.ts';

/** This room uses no part of the context itself; the rooms that it calls do. */
export type WordingDeps = LifecycleDeps;
