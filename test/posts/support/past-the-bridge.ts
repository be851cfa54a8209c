import type { Bakery } from './bakery.ts';
import { aLiveAccessToken, ask } from './posts.ts';

/** Posts that a test makes and reads at the new API itself, with what the old API had no name for. */

const FIELDS =
  'type source ... on ImageAsset { image { altText animatedThumbnail userTags { handle } } } ... on VideoAsset { video { title thumbnailOffset } } ... on DocumentAsset { document { title } }';

const THREAD = `thread { text assets { ${FIELDS} } }`;

const POST = `post { id text assets { ${FIELDS} } metadata {
  ... on LinkedInPostMetadata { firstComment linkAttachment { url } annotations { text } }
  ... on TwitterPostMetadata { isAiGenerated ${THREAD} }
  ... on ThreadsPostMetadata { topic locationName linkAttachment { url title text thumbnail } ${THREAD} }
  ... on BlueskyPostMetadata { linkAttachment { url } ${THREAD} } } }`;

interface ShownPost {
  id: string;
  text: string;
  assets: object[];
  metadata: object;
}

async function write(
  { system }: Bakery,
  [mutation, type]: [string, string],
  input: object,
): Promise<ShownPost> {
  const query = `mutation Past($input: ${type}!) { done: ${mutation}(input: $input) { ... on PostActionSuccess { ${POST} } ... on MutationError { message } } }`;
  const token = await aLiveAccessToken(system.bridge.context);
  const answer = await ask(system.proxy.origin, token, { query, variables: { input } });
  const { done } = (answer as { data: { done: { post?: ShownPost; message?: string } } }).data;
  if (!done.post) throw new Error(done.message);
  return done.post;
}

/** Makes a post past the bridge. */
export const madePast = (
  bakery: Bakery,
  input: { channelId: string; text: string } & Record<string, unknown>,
): Promise<ShownPost> =>
  write(bakery, ['createPost', 'CreatePostInput'], {
    schedulingType: 'automatic',
    mode: 'addToQueue',
    ...input,
  });

/** A post as it is: an edit of nothing answers with it. */
export const shownPast = (bakery: Bakery, id: string): Promise<ShownPost> =>
  write(bakery, ['editPost', 'EditPostInput'], { id, source: 'test' });
