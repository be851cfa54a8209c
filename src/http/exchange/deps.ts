import type { LegacyDeps } from '../legacy/deps.ts';

/** This room uses no part of the context itself; the rooms that it calls do. */
export type ExchangeDeps = LegacyDeps;
