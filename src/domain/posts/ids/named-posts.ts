import type { Post } from '../../../upstream/posts/post.ts';
import type { PostsDeps } from '../deps.ts';
import { meantChannel } from '../../ids/legacy-ids.ts';
import { learnedUpdate, postIdForWrite } from '../../ids/updates/learned-update.ts';
import { matchAmong } from './match-update.ts';
import { type CallerIds, updateIdsFor } from './told-ids.ts';

/** Finds the posts of one channel that a write names by ids of either API. Sends no request. */

type Posts = readonly Post[];

/** The post of an id that is not among the ids of these posts. The id itself where no post is found. */
async function namedPost(
  context: PostsDeps,
  { mapping, ids }: CallerIds,
  { posts, id }: { posts: Posts; id: string },
): Promise<string> {
  const learned = await learnedUpdate(context, mapping, id);
  if (!learned) return id;
  if (learned.post_id !== null) return postIdForWrite(context, learned);
  const channelId = await meantChannel(context, ids, learned.profile_id);
  const ofChannel = posts.filter((post) => post.channelId === channelId);
  return (await matchAmong(context, learned, ofChannel))?.id ?? id;
}

/** The ids of the named posts at the new API, in the order of the names. */
export async function namedPosts(
  context: PostsDeps,
  told: CallerIds,
  { posts, names }: { posts: Posts; names: readonly string[] },
): Promise<string[]> {
  const toldIds = await updateIdsFor(context, told, posts);
  const known = new Map(posts.map(({ id }) => [id, id]));
  for (const [id, toldId] of toldIds) known.set(toldId, id);
  const found: string[] = [];
  for (const id of names) found.push(known.get(id) ?? (await namedPost(context, told, { posts, id })));
  return found;
}
