import type { PagesDeps } from '../pages/deps.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export type HttpSupportDeps = PagesDeps;
