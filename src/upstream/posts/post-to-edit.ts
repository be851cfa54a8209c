import { z } from 'zod';
import { asset, postMetadata } from './post.ts';
import { WRITTEN_POST_FIELDS, writtenPost } from './written-post.ts';

/** A post with all that an edit has to send again: the new API replaces the media and the fields of a service whole. */

const wholeAsset = asset.extend({
  image: z
    .object({
      altText: z.string().nullish(),
      animatedThumbnail: z.string().nullish(),
      userTags: z.array(z.object({ handle: z.string(), x: z.number(), y: z.number() })).nullish(),
    })
    .nullish(),
  video: z.object({ title: z.string().nullish(), thumbnailOffset: z.number().nullish() }).nullish(),
  document: z.object({ title: z.string().nullish() }).nullish(),
});

/** A picture, video or document with what is said of it. */
export type WholeAsset = z.infer<typeof wholeAsset>;

/** What only the service of the post has; a service without such a field does not tell it. */
const metadata = postMetadata.extend({
  type: z.string().nullish(),
  firstComment: z.string().nullish(),
  annotations: z.array(z.object({ type: z.string(), indices: z.array(z.number()) })).nullish(),
  thread: z.array(z.object({ text: z.string(), assets: z.array(wholeAsset) })).nullish(),
  topic: z.string().nullish(),
  locationId: z.string().nullish(),
  locationName: z.string().nullish(),
  spoilerText: z.string().nullish(),
  isAiGenerated: z.boolean().nullish(),
  retweet: z.object({ id: z.string() }).nullish(),
});

export const postToEdit = writtenPost.extend({ assets: z.array(wholeAsset), metadata: metadata.nullish() });

export type PostToEdit = z.infer<typeof postToEdit>;

const WORDS =
  '... on ImageAsset { image { altText animatedThumbnail userTags { handle x y } } } ... on VideoAsset { video { title thumbnailOffset } } ... on DocumentAsset { document { title } }';

const THREAD = `thread { text assets { type source thumbnail ${WORDS} } }`;

const ANNOTATIONS = 'annotations { type indices }';

const OF_SERVICES = [
  `... on FacebookPostMetadata { firstComment ${ANNOTATIONS} }`,
  `... on LinkedInPostMetadata { firstComment ${ANNOTATIONS} }`,
  `... on TwitterPostMetadata { isAiGenerated retweet { id } ${THREAD} }`,
  `... on MastodonPostMetadata { spoilerText ${THREAD} }`,
  `... on ThreadsPostMetadata { type topic locationId locationName ${THREAD} }`,
  `... on BlueskyPostMetadata { ${THREAD} }`,
  '... on GoogleBusinessPostMetadata { title }',
].join(' ');

/** The fields that requests for such a post ask for. */
export const POST_TO_EDIT_FIELDS = `${WRITTEN_POST_FIELDS} assets { ${WORDS} } metadata { ${OF_SERVICES} }`;
