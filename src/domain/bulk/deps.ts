import type { TakeBackDeps } from '../take-back/deps.ts';

/** This room uses no part of the context itself; the rooms that it calls do. */
export type BulkDeps = TakeBackDeps;
