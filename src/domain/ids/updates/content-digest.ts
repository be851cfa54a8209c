import type { WrittenPost } from '../../../upstream/posts/written-post.ts';

/**
 * What makes a post known again without keeping what it says: text, channel, due time, and that it is a draft. A time that
 * the queue gives is no part of it. A service that changes a text makes its posts unknown, and their writes stay in doubt.
 */

interface Content {
  channelId: string;
  text: string;
  /** Unix milliseconds; undefined where the caller named no time. */
  dueAt: number | undefined;
  isDraft?: boolean;
}

/** Line ends and spaces around a text are often changed on the way. */
const plain = (text: string) => text.normalize('NFC').replaceAll('\r\n', '\n').trim();

/** What is digested, in one spelling. */
export function contentText({ channelId, text, dueAt, isDraft = false }: Content): string {
  const seconds = dueAt === undefined ? null : Math.floor(dueAt / 1000);
  return JSON.stringify([channelId, plain(text), seconds, ...(isDraft ? ['draft'] : [])]);
}

/** The same of a post as the new API shows it; a draft has no time. */
export function contentOfPost({ channelId, text, dueAt, shareMode, status }: WrittenPost): string {
  const isDraft = status === 'draft';
  const isTimed = shareMode === 'customScheduled' && !isDraft && typeof dueAt === 'string';
  return contentText({ channelId, text, dueAt: isTimed ? Date.parse(dueAt) : undefined, isDraft });
}

/** Whether the content of a post says nothing in words: all posts of pictures alone have it. */
export const isWordless = ({ text }: WrittenPost) => plain(text) === '';

/**
 * What an edit that left this post would have been: the id of the post stands for its channel, and the edit named a time or
 * left the time as it was.
 */
export function contentsOfEdit({ id: channelId, text, dueAt }: WrittenPost): string[] {
  const untimed = contentText({ channelId, text, dueAt: undefined });
  return typeof dueAt === 'string'
    ? [untimed, contentText({ channelId, text, dueAt: Date.parse(dueAt) })]
    : [untimed];
}

/** A move, by which its post is looked for where the queue begins or ends. */
export function contentOfMove(move: {
  channelId: string;
  postId: string;
  position: 'top' | 'bottom';
}): string {
  return JSON.stringify(['move', move.channelId, move.postId, move.position]);
}
