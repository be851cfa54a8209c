import { z } from 'zod';
import { post, POST_FIELDS } from './post.ts';

/** A post with the facts of its writing: the share mode, and whether its queue is paused. */
export const writtenPost = post.extend({
  shareMode: z.string(),
  channel: z.object({ isQueuePaused: z.boolean() }),
});

export type WrittenPost = z.infer<typeof writtenPost>;

/** The fields that requests for such a post ask for. */
export const WRITTEN_POST_FIELDS = `${POST_FIELDS} shareMode channel { isQueuePaused }`;
