import {
  changeLength,
  findListLengths,
  forgetLengths,
  listsWithPost,
} from '../../store/posts/post-answers.ts';
import type { Post } from '../../upstream/posts/post.ts';
import { withoutCacheFaults } from '../grants/refresh/answer-cache.ts';
import type { PostsDeps } from './deps.ts';
import { nameOfPending, nameOfSent } from './lists/lists.ts';

/** The lengths of a channel's lists when the lists were last read to the end. An unread length is absent. */
export interface KnownCounts {
  pending?: number;
  sent?: number;
}

/** The known lengths of a grant's lists, by their names. Undefined when the cache fails. */
type KnownLengths = ReadonlyMap<string, number> | undefined;

function countsIn(lengths: KnownLengths, channelId: string): KnownCounts {
  const [pending, sent] = [nameOfPending, nameOfSent].map((nameOf) => lengths?.get(nameOf(channelId)));
  return { ...(pending === undefined ? {} : { pending }), ...(sent === undefined ? {} : { sent }) };
}

/** The known lengths of the lists of a grant's channels. Sends no request. */
export async function knownCounts(
  context: PostsDeps,
  grantId: string,
): Promise<{ lengths: KnownLengths; countsOf: (channelId: string) => KnownCounts }> {
  const lengths = await withoutCacheFaults(context, grantId, () => findListLengths(context.store, grantId));
  return { lengths, countsOf: (channelId) => countsIn(lengths, channelId) };
}

/** The statuses of posts that stand in neither list of a profile. */
const IN_NO_LIST = ['draft', 'needs_approval'];

/** A new post, and when its write began. */
export interface NewPost {
  post: Pick<Post, 'status' | 'channelId'>;
  writtenAt: number;
}

/** Adds a new post to the known lengths of its channel's lists. A length that it changes otherwise is forgotten. */
export async function countNewPost(
  context: PostsDeps,
  grantId: string,
  { post: { status, channelId }, writtenAt }: NewPost,
): Promise<void> {
  if (IN_NO_LIST.includes(status)) return;
  if (status !== 'scheduled' && status !== 'sent') return forgetCounts(context, grantId, channelId);
  const what = status === 'sent' ? nameOfSent(channelId) : nameOfPending(channelId);
  await withoutCacheFaults(context, grantId, () =>
    changeLength(context.store, { grantId, what }, { by: 1, writtenAt }),
  );
}

/** A post that a write took out of its list. */
export interface MovedPost {
  id: string;
  /** Whether it stands among the sent posts now; else it is gone. */
  isSent: boolean;
  writtenAt: number;
}

const PENDING = /^pending (\S+)$/;
const WHOLE_LIST = /^(?:pending|sent) (\S+)$/;

/**
 * Takes a post out of the known length of the list in which it was last seen. Where posts were changed since that list was read, the
 * post may have left it before, so both lengths of its channel are forgotten. Undefined where no kept list shows the post.
 */
export async function countMovedPost(
  context: PostsDeps,
  grantId: string,
  { id, isSent, writtenAt }: MovedPost,
): Promise<'counted' | 'forgotten' | undefined> {
  const { store } = context;
  const seen = await withoutCacheFaults(context, grantId, () => listsWithPost(store, grantId, id));
  // A post that was sent by itself may stand in both lists: where it was seen last, it is now.
  const [list] = (seen?.lists ?? [])
    .filter(({ what }) => (isSent ? PENDING : WHOLE_LIST).test(what))
    .toSorted((a, b) => b.fetched_at - a.fetched_at);
  const [, channelId] = WHOLE_LIST.exec(list?.what ?? '') ?? [];
  if (!seen || !list || channelId === undefined) return undefined;
  if (list.fetched_at <= seen.changedAt) {
    await forgetCounts(context, grantId, channelId);
    return 'forgotten';
  }
  await withoutCacheFaults(context, grantId, async () => {
    await changeLength(store, { grantId, what: list.what }, { by: -1, writtenAt });
    if (isSent) await changeLength(store, { grantId, what: nameOfSent(channelId) }, { by: 1, writtenAt });
  });
  return 'counted';
}

/**
 * Forgets lengths after a write that may have moved posts into a queue or out of a queue. `channelId` is the channel of
 * the post; undefined forgets the lengths of all channels.
 */
export async function forgetCounts(
  context: PostsDeps,
  grantId: string,
  channelId: string | undefined,
): Promise<void> {
  const whats = channelId === undefined ? undefined : [nameOfPending(channelId), nameOfSent(channelId)];
  await withoutCacheFaults(context, grantId, () => forgetLengths(context.store, grantId, whats));
}
