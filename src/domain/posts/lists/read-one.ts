import { z } from 'zod';
import { post, type Post } from '../../../upstream/posts/post.ts';
import { readPost } from '../../../upstream/posts/read-posts.ts';
import type { PostsDeps } from '../deps.ts';
import { freshFor } from '../../limits/freshness.ts';
import type { GrantClient } from '../../grants/grant-client.ts';
import { askForPosts } from '../ask-for-posts.ts';
import { freshOrLastKnown, keepPostAnswer, keptAnswer } from './post-cache.ts';

/** Reads one post by its id: from the cache while the cached post is fresh, else with one request. */

/** Null for a post that existed and is gone. */
const keptPost = z.object({ post: post.nullable(), fetchedAt: z.number() });

export interface PostAnswer {
  /** Undefined where the token reaches no post with this id. */
  post: Post | undefined;
  fetchedAt: number;
  isStale: boolean;
}

interface PostLookup {
  id: string;
  /** Whether the cache has an entry for the post. An id that was never found gets no entry. */
  isKnown: boolean;
}

async function fetchPost(
  context: PostsDeps,
  grant: GrantClient,
  { id, isKnown }: PostLookup,
): Promise<PostAnswer> {
  const fetchedAt = context.clock.now();
  const found = await askForPosts(context, grant, (asker) => readPost(asker, id));
  const name = { grantId: grant.id, what: `post ${id}` };
  if (found || isKnown) await keepPostAnswer(context, name, { answer: { post: found ?? null, fetchedAt } });
  return { post: found, fetchedAt, isStale: false };
}

/**
 * The post with an id. The last known post serves while the new API is out of reach, or while the rest of its budget is
 * reserved.
 * @throws {GrantDead | ScopeMissing | LimitReached | Unavailable}
 */
export async function readOne(context: PostsDeps, grant: GrantClient, id: string): Promise<PostAnswer> {
  const name = { grantId: grant.id, what: `post ${id}` };
  const { answer, changedAt } = await keptAnswer(context, name);
  const kept = keptPost.safeParse(answer).data;
  const age = kept ? context.clock.now() - kept.fetchedAt : Number.POSITIVE_INFINITY;
  const known = (isStale: boolean): PostAnswer | undefined =>
    kept && { post: kept.post ?? undefined, fetchedAt: kept.fetchedAt, isStale };
  const isCurrent = kept !== undefined && kept.fetchedAt > changedAt;
  const isFresh = isCurrent && age < freshFor(context, grant);
  const fresh = isFresh ? known(false) : undefined;
  if (fresh) return fresh;
  const key = `post ${grant.id} ${id} ${changedAt}`;
  const read = () => fetchPost(context, grant, { id, isKnown: kept !== undefined });
  const lastKnown = () => (isCurrent && age < context.settings.profilesStale ? known(true) : undefined);
  return freshOrLastKnown(context, { grant, key, read, lastKnown });
}
