import type { LegacyDeps } from '../legacy/deps.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export type ExchangeDeps = LegacyDeps;
