import type { AccountReading } from '../../../upstream/main-api.ts';
import type { Post } from '../../../upstream/posts/post.ts';
import type { PostsQuestion } from '../../../upstream/posts/read-posts.ts';
import { secondsOf } from '../../translation/old-times.ts';

/** The two lists of a profile in the old API, as queries to the new API. */

export interface PostList {
  /** The name of the list among the cached lists of a grant. */
  name: string;
  question: PostsQuestion;
  /** Selects the meant posts; undefined where all posts are meant. The other posts stand at the end of the list. */
  isMeant: ((post: Post) => boolean) | undefined;
}

type Channel = Pick<AccountReading['channels'][number], 'id' | 'organizationId'>;

/** Makes a list for the parameter `since` of a call, in Unix seconds; 0 for the whole list. */
type ListFactory = (channel: Channel, since: number) => PostList;

/** The names of the two whole lists of a channel. */
export const nameOfPending = (channelId: string) => `pending ${channelId}`;
export const nameOfSent = (channelId: string) => `sent ${channelId}`;

/**
 * The buffer, the next post first: posts that are scheduled, posts that are being published, and posts that failed and
 * wait for a person. `since` compares the time at which a post was made.
 */
const pendingList: ListFactory = ({ id: channelId, organizationId }, since) => {
  const statuses = ['scheduled', 'sending', 'error'];
  const question = { organizationId, channelId, statuses, direction: 'asc' } as const;
  if (since === 0) return { name: nameOfPending(channelId), question, isMeant: undefined };
  const createdFrom = new Date((since + 1) * 1000).toISOString();
  const name = `${nameOfPending(channelId)} since ${since}`;
  return { name, question: { ...question, createdFrom }, isMeant: undefined };
};

/**
 * The sent posts, the last post first. `since` compares the time of sending. The new API can neither sort nor filter by
 * this time: it sorts by due time, and only posts that were sent late have another order.
 */
const sentList: ListFactory = ({ id: channelId, organizationId }, since) => ({
  name: nameOfSent(channelId),
  question: { organizationId, channelId, statuses: ['sent'], direction: 'desc' },
  isMeant: since === 0 ? undefined : ({ sentAt }) => (secondsOf(sentAt) ?? 0) > since,
});

/** The two lists, by the first word of their names. */
export const LISTS = { pending: pendingList, sent: sentList } as const satisfies Record<string, ListFactory>;

export type ListName = keyof typeof LISTS;
