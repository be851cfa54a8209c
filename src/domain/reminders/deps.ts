import type { PostsDeps } from '../posts/deps.ts';

/** What this room takes of the context, beside what the rooms take that it calls. */
export type RemindersDeps = PostsDeps;
