import { z } from 'zod';
import { post, POST_FIELDS, postLink } from './post.ts';

/** A post with the facts of its writing: its kind or title, the share mode, and whether its queue is paused. */
export const writtenPost = post.extend({
  metadata: z
    .object({
      type: z.string().nullish(),
      title: z.string().nullish(),
      linkAttachment: postLink.nullish(),
    })
    .nullish(),
  shareMode: z.string(),
  channel: z.object({ isQueuePaused: z.boolean() }),
});

export type WrittenPost = z.infer<typeof writtenPost>;

/**
 * What an edit has to send back: among the services whose fields an edit sends, two demand the kind of the post, and a pin
 * loses its title otherwise.
 */
const KEPT = { Facebook: 'type', GoogleBusiness: 'type', Pinterest: 'title' };

const KIND = Object.entries(KEPT)
  .map(([service, field]) => `... on ${service}PostMetadata { ${field} }`)
  .join(' ');

/** The fields that requests for such a post ask for. */
export const WRITTEN_POST_FIELDS = `${POST_FIELDS} shareMode channel { isQueuePaused } metadata { ${KIND} }`;
