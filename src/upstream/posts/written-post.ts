import { z } from 'zod';
import { post, POST_FIELDS } from './post.ts';

/** A post with what shows how it was written: the mode it was given, and whether its queue goes on. */
export const writtenPost = post.extend({
  shareMode: z.string(),
  channel: z.object({ isQueuePaused: z.boolean() }),
});

export type WrittenPost = z.infer<typeof writtenPost>;

/** What requests ask for of it. */
export const WRITTEN_POST_FIELDS = `${POST_FIELDS} shareMode channel { isQueuePaused }`;
