import type { LimitsDeps } from '../limits/deps.ts';
import type { TokensDeps } from '../tokens/deps.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export type ReadsDeps = LimitsDeps & TokensDeps;
