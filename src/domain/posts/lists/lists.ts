import type { AccountReading } from '../../../upstream/main-api.ts';
import type { Post } from '../../../upstream/posts/post.ts';
import type { PostsQuestion } from '../../../upstream/posts/read-posts.ts';
import { secondsOf } from '../../translation/old-times.ts';

/** The two lists that the old API had of a profile, as questions to the new one. */

export interface PostList {
  /** Names it among the lists of a grant. */
  name: string;
  question: PostsQuestion;
  /** Which of its posts are meant, where not all are; the others stand at its end. */
  isMeant: ((post: Post) => boolean) | undefined;
}

type Channel = Pick<AccountReading['channels'][number], 'id' | 'organizationId'>;

/** Sees to what a caller asks for with `since`, in Unix seconds; 0 for everything. */
type MakeList = (channel: Channel, since: number) => PostList;

/** The names of the two whole lists of a channel. */
export const nameOfPending = (channelId: string) => `pending ${channelId}`;
export const nameOfSent = (channelId: string) => `sent ${channelId}`;

/**
 * What is in the buffer, the next one first: what is scheduled, what is being published, and what could not be published
 * and waits for a person. `since` is about the time at which a post was made.
 */
export const pendingList: MakeList = ({ id: channelId, organizationId }, since) => {
  const statuses = ['scheduled', 'sending', 'error'];
  const question = { organizationId, channelId, statuses, direction: 'asc' } as const;
  if (since === 0) return { name: nameOfPending(channelId), question, isMeant: undefined };
  const createdFrom = new Date((since + 1) * 1000).toISOString();
  const name = `${nameOfPending(channelId)} since ${since}`;
  return { name, question: { ...question, createdFrom }, isMeant: undefined };
};

/**
 * What was sent, the last one first. `since` is about the time of sending, by which the new API can neither sort nor
 * filter. It sorts by the time at which a post was due, which is the same order but for posts that were sent late.
 */
export const sentList: MakeList = ({ id: channelId, organizationId }, since) => ({
  name: nameOfSent(channelId),
  question: { organizationId, channelId, statuses: ['sent'], direction: 'desc' },
  isMeant: since === 0 ? undefined : ({ sentAt }) => (secondsOf(sentAt) ?? 0) > since,
});
