import type { LifecycleDeps } from '../../domain/lifecycle/deps.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export type WordingDeps = LifecycleDeps;
