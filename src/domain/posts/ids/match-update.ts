import { LRUCache } from 'lru-cache';
import { MINUTE } from '../../../shared/lifetimes.ts';
import type { LearnedUpdate } from '../../../store/tables/posts.ts';
import { findUpdatesOfPosts, hasSameIds, pairUpdate } from '../../../store/posts/update-ids.ts';
import { isNotShown } from '../../../upstream/main-api.ts';
import { ScopeMissing } from '../scope-missing.ts';
import type { Post } from '../../../upstream/posts/post.ts';
import { type PostsAccess, readPostsDueAt } from '../../../upstream/posts/read-posts.ts';
import type { AccountReading } from '../../../upstream/main-api.ts';
import type { PostsDeps } from '../deps.ts';
import { keepAsTheyAre } from '../../ids/updates/learned-update.ts';
import { looksAlike, textOfUpdate } from '../../ids/updates/update-matches.ts';
import { madeOnce } from '../../../shared/memory/made-once.ts';

/**
 * Finds the post of an update of the old API with one request: the only post of its channel with the same text and
 * time. If two posts or two updates share text and time, none is chosen, because a write to the wrong post could not be
 * undone. If the new API has any post of the account under its old id, no search is made: the ids are the same, and a
 * missing id belongs to a deleted post.
 */

/** A search without a result is not repeated for ten minutes. */
const MISSED = { max: 10_000, ttl: 10 * MINUTE };

const memories = new WeakMap<PostsDeps, LRUCache<string, true>>();

function missedOf(context: PostsDeps): LRUCache<string, true> {
  return madeOnce(memories, context, () => new LRUCache<string, true>(MISSED));
}

type Channel = Pick<AccountReading['channels'][number], 'id' | 'organizationId'>;

/** `findChannel` finds the caller's channel. `ask` asks the new API with the caller's own grant. */
export interface MatchSteps {
  findChannel: (profileId: string) => Promise<Channel | undefined>;
  ask: (read: (asker: PostsAccess) => Promise<Post[]>) => Promise<Post[]>;
}

/** A channel that is gone, or that the grant does not reach, has no posts. */
async function postsDue({ findChannel, ask }: MatchSteps, { profile_id, due_at }: LearnedUpdate) {
  const channel = await findChannel(profile_id);
  if (!channel) return [];
  const question = { organizationId: channel.organizationId, channelId: channel.id, dueAt: due_at };
  return ask((asker) => readPostsDueAt(asker, question)).catch((error: unknown) => {
    if (isNotShown(error) || error instanceof ScopeMissing) return [];
    throw error;
  });
}

async function pair(context: PostsDeps, learned: LearnedUpdate, post: Post): Promise<Post | undefined> {
  const { account_id: accountId, profile_id: profileId } = learned;
  const { durable } = context.store;
  const digests = context.vault.digests(textOfUpdate(accountId, post.text));
  const rows = await findUpdatesOfPosts(durable, { accountId, postIds: [post.id], digests });
  await keepAsTheyAre(
    context,
    rows.filter((row) => row.old_id === post.id),
  );
  const rivals = rows.filter(
    (row) =>
      row.id !== learned.id &&
      (row.post_id === post.id ||
        row.old_id === post.id ||
        (row.profile_id === profileId && looksAlike(row, post, digests))),
  );
  const now = context.clock.now();
  const isPaired = rivals.length === 0 && (await pairUpdate(durable, learned, { postId: post.id, now }));
  return isPaired ? post : undefined;
}

/** The post of an update among posts of its channel, stored as a pair. Undefined where no post is certain. */
export async function matchAmong(
  context: PostsDeps,
  learned: LearnedUpdate,
  posts: readonly Post[],
): Promise<Post | undefined> {
  if (await hasSameIds(context.store.durable, learned.account_id)) return undefined;
  const alike = posts.filter(({ text, ...post }) =>
    looksAlike(learned, post, context.vault.digests(textOfUpdate(learned.account_id, text))),
  );
  const [post, another] = alike;
  return post && !another ? pair(context, learned, post) : undefined;
}

/**
 * The post of an update, stored as a pair. Undefined where no post is certain.
 * @throws {GrantDead | LimitReached | Unavailable}
 */
export async function matchUpdate(
  context: PostsDeps,
  learned: LearnedUpdate,
  steps: MatchSteps,
): Promise<Post | undefined> {
  const missed = missedOf(context);
  const key = `${learned.id} ${learned.text_digest} ${learned.due_at}`;
  if (missed.has(key) || (await hasSameIds(context.store.durable, learned.account_id))) return undefined;
  const post = await matchAmong(context, learned, await postsDue(steps, learned));
  if (!post) missed.set(key, true);
  return post;
}
