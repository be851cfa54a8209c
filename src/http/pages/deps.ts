import type { SupportDeps } from '../../domain/support/deps.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export type PagesDeps = SupportDeps;
