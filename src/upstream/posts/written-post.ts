import { z } from 'zod';
import { post, POST_FIELDS, postLink } from './post.ts';

/** A post with the facts of its writing: its kind, the share mode, and whether its queue is paused. */
export const writtenPost = post.extend({
  metadata: z.object({ type: z.string().nullish(), linkAttachment: postLink.nullish() }).nullish(),
  shareMode: z.string(),
  channel: z.object({ isQueuePaused: z.boolean() }),
});

export type WrittenPost = z.infer<typeof writtenPost>;

/** The services that demand the kind of a post whenever a field of the service is sent. */
const WITH_KIND = ['Facebook', 'GoogleBusiness'];

const KIND = WITH_KIND.map((service) => `... on ${service}PostMetadata { type }`).join(' ');

/** The fields that requests for such a post ask for. */
export const WRITTEN_POST_FIELDS = `${POST_FIELDS} shareMode channel { isQueuePaused } metadata { ${KIND} }`;
