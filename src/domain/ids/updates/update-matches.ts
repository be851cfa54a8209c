import { WRITE_CLOCKS_DIFFER } from '../../../shared/lifetimes.ts';
import type { LearnedUpdate } from '../../../store/tables/posts.ts';
import type { Post } from '../../../upstream/posts/post.ts';
import { contentText } from './content-digest.ts';

/** Whether a post of the new API may be an update that the old API showed. */

/**
 * The text to digest for an update. The account is part of the text, so that equal texts of two accounts have different
 * digests.
 */
export function textOfUpdate(accountId: string, text: string): string {
  return contentText({ channelId: accountId, text, dueAt: undefined });
}

const secondOf = (milliseconds: number) => Math.floor(milliseconds / 1000);

/**
 * Whether a post has the text and time of the update. `digests` are the digests of the post's text, under every key. A
 * post that was made after the old API showed the update is another post.
 */
export function looksAlike(
  { text_digest: digest, due_at: dueAt, seen_at: seenAt }: LearnedUpdate,
  post: Pick<Post, 'dueAt' | 'createdAt'>,
  digests: readonly string[],
): boolean {
  const isBefore = Date.parse(post.createdAt) <= seenAt + WRITE_CLOCKS_DIFFER;
  const isDueThen = secondOf(Date.parse(post.dueAt ?? '')) === secondOf(dueAt);
  return isBefore && isDueThen && digests.includes(digest);
}
