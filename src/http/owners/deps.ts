import type { LiveDeps } from '../../domain/live/deps.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export type OwnersDeps = LiveDeps;
