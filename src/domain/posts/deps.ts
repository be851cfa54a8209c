import type { IdsDeps } from '../ids/deps.ts';
import type { ReadsDeps } from '../reads/deps.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export type PostsDeps = IdsDeps & ReadsDeps;
