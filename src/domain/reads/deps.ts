import type { LimitsDeps } from '../limits/deps.ts';
import type { TokensDeps } from '../tokens/deps.ts';

/** This room uses no part of the context itself; the rooms that it calls do. */
export type ReadsDeps = LimitsDeps & TokensDeps;
