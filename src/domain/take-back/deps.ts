import type { SupportDeps } from '../support/deps.ts';

/** This room uses no part of the context itself; the rooms that it calls do. */
export type TakeBackDeps = SupportDeps;
