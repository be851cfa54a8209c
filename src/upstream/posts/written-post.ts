import { z } from 'zod';
import { post, POST_FIELDS, postMetadata } from './post.ts';

/** A post with the facts of its writing: its kind, the share mode, and whether its queue is paused. */
export const writtenPost = post.extend({
  metadata: postMetadata.extend({ type: z.string().nullish() }).nullish(),
  shareMode: z.string(),
  channel: z.object({ isQueuePaused: z.boolean() }),
});

export type WrittenPost = z.infer<typeof writtenPost>;

/** The services that demand the kind of the post in an edit, among those whose fields an edit sends. */
const WITH_KIND = ['Facebook', 'GoogleBusiness'];

const KIND = WITH_KIND.map((service) => `... on ${service}PostMetadata { type }`).join(' ');

/** The fields that requests for such a post ask for. */
export const WRITTEN_POST_FIELDS = `${POST_FIELDS} shareMode channel { isQueuePaused } metadata { ${KIND} }`;
