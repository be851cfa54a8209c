import type { WrittenPost } from '../../../upstream/posts/written-post.ts';

/**
 * The content by which the bridge recognizes a post without storing its words: text, channel, due time, and whether the
 * post is a draft. A time from the queue is not part of the content. A post whose text a service changes is not
 * recognized, and its write stays in doubt.
 */

interface Content {
  channelId: string;
  text: string;
  /** Unix milliseconds; undefined where the caller named no time. */
  dueAt: number | undefined;
  isDraft?: boolean;
}

/** Services often change line ends, and spaces around a text. */
const plain = (text: string) => text.normalize('NFC').replaceAll('\r\n', '\n').trim();

/** The text to digest, in one spelling. */
export function contentText({ channelId, text, dueAt, isDraft = false }: Content): string {
  const seconds = dueAt === undefined ? null : Math.floor(dueAt / 1000);
  return JSON.stringify([channelId, plain(text), seconds, ...(isDraft ? ['draft'] : [])]);
}

/** The content of a post as the new API shows the post. A draft has no time. */
export function contentOfPost({ channelId, text, dueAt, shareMode, status }: WrittenPost): string {
  const isDraft = status === 'draft';
  const isTimed = shareMode === 'customScheduled' && !isDraft && typeof dueAt === 'string';
  return contentText({ channelId, text, dueAt: isTimed ? Date.parse(dueAt) : undefined, isDraft });
}

/** Whether a post has no words. All posts of pictures alone have the same content. */
export const isWordless = ({ text }: WrittenPost) => plain(text) === '';

/**
 * The contents that an edit with this post as its result may have had. The id of the post stands for its channel. The
 * edit named a time, or left the time as it was.
 */
export function contentsOfEdit({ id: channelId, text, dueAt }: WrittenPost): string[] {
  const untimed = contentText({ channelId, text, dueAt: undefined });
  return typeof dueAt === 'string'
    ? [untimed, contentText({ channelId, text, dueAt: Date.parse(dueAt) })]
    : [untimed];
}

/** The content of a move, by which the bridge looks for the moved post at the top or bottom of the queue. */
export function contentOfMove(move: {
  channelId: string;
  postId: string;
  position: 'top' | 'bottom';
}): string {
  return JSON.stringify(['move', move.channelId, move.postId, move.position]);
}
