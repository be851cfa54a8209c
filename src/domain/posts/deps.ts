import type { IdsDeps } from '../ids/deps.ts';
import type { ReadsDeps } from '../reads/deps.ts';

/** This room uses no part of the context itself; the rooms that it calls do. */
export type PostsDeps = IdsDeps & ReadsDeps;
