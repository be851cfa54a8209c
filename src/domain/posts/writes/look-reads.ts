import { WRITE_LOOKS } from '../../../shared/lifetimes.ts';
import type { PostWriteRow } from '../../../store/tables/posts.ts';
import { type SendQuery, findPost, listPosts, type PostsResult } from '../../../upstream/posts/find-posts.ts';
import { readWrittenPage } from '../../../upstream/posts/read-posts.ts';
import type { WrittenPost } from '../../../upstream/posts/written-post.ts';
import type { PostsDeps } from '../deps.ts';
import type { GrantClient } from '../../grants/grant-client.ts';
import { mainApiOf } from '../../grants/main-api-of.ts';
import { readWithAccessToken } from '../../grants/refresh/read-with-token.ts';
import { takeWrite } from '../../limits/fair-shares.ts';
import { askForPosts } from '../ask-for-posts.ts';
import { madeBetween } from './made-between.ts';

/** The reads of the new API for a look at a write in doubt. */
export interface LookReads {
  grantId: string;
  /** The posts of the row's channel from the time in which the row may have made a post. May contain other posts. */
  postsOf(row: ChannelRow): Promise<PostsResult>;
  /** One post; undefined where the post does not exist. */
  post(id: string): Promise<WrittenPost | undefined>;
  /** The scheduled posts in the row's channel, from the top or from the bottom of the queue. */
  queueFrom(row: ChannelRow, position: 'top' | 'bottom'): Promise<WrittenPost[]>;
}

/** A row with the channel of its post. */
export type ChannelRow = PostWriteRow & { organization_id: string; channel_id: string };

export const isInChannel = (row: PostWriteRow): row is ChannelRow =>
  row.organization_id !== null && row.channel_id !== null;

/** The posts of one channel, from the time of the first row to the time of the last row. */
function listFor(
  ask: SendQuery,
  first: ChannelRow,
  last: Pick<PostWriteRow, 'sent_at'> = first,
): Promise<PostsResult> {
  const { organization_id: organizationId, channel_id: channelId } = first;
  const wanted = { organizationId, channelId, from: madeBetween(first).from, to: madeBetween(last).to };
  return listPosts(ask, wanted);
}

const FROM = { top: 'asc', bottom: 'desc' } as const;

/** A moved post is not found behind 100 or more posts with times of their own. */
const IN_ONE_LOOK = 100;

async function queueFor(ask: SendQuery, row: ChannelRow, position: 'top' | 'bottom'): Promise<WrittenPost[]> {
  const { organization_id: organizationId, channel_id: channelId } = row;
  const question = { organizationId, channelId, statuses: ['scheduled'], direction: FROM[position] };
  const page = await ask(({ mainApi, accessToken, now }) =>
    readWrittenPage({ mainApi, accessToken, now: () => now }, question, {
      first: IN_ONE_LOOK,
      after: undefined,
    }),
  );
  return page.posts;
}

/** The reads of a look while the caller waits. As part of the write they do not give way, and count as writes. */
export function readsInCall(context: PostsDeps, grant: GrantClient): LookReads {
  const mainApi = mainApiOf(context, grant);
  const ask: SendQuery = async (read) => {
    takeWrite(context, grant);
    return readWithAccessToken(context, grant, (accessToken) =>
      read({ mainApi, accessToken, now: context.clock.now() }),
    );
  };
  return {
    grantId: grant.id,
    postsOf: (row) => listFor(ask, row),
    post: (id) => ask((to) => findPost(to, id)),
    queueFrom: (row, position) => queueFor(ask, row, position),
  };
}

/** Rows that were sent within this time share a list. */
const ONE_LIST = Math.max(...WRITE_LOOKS);

/** The rows that share a list with this row. The first row decides where the list begins. `rows` are sorted by time. */
function rowsOfList(rows: readonly PostWriteRow[], row: ChannelRow) {
  const { channel_id: channelId, sent_at: sentAt } = row;
  const own = rows.filter((one) => one.channel_id === channelId);
  const found = own.find((one) => one.sent_at > sentAt - ONE_LIST);
  const first = { ...row, id: found?.id ?? row.id, sent_at: found?.sent_at ?? sentAt };
  return { first, last: own.findLast((one) => one.sent_at < first.sent_at + ONE_LIST) };
}

/**
 * The reads of one run of the job. They count as reads of the app, and give way to writes. Rows of a channel share a
 * list.
 */
export function readsOfRun(
  context: PostsDeps,
  rows: readonly PostWriteRow[],
): (grant: GrantClient) => LookReads {
  const lists = new Map<string, Promise<PostsResult>>();
  return (grant) => {
    const ask: SendQuery = (read) =>
      askForPosts(context, grant, ({ mainApi, accessToken, now }) =>
        read({ mainApi, accessToken, now: now() }),
      );
    return {
      grantId: grant.id,
      postsOf(row) {
        const { first, last } = rowsOfList(rows, row);
        const key = `${grant.id} ${first.id}`;
        const list = lists.get(key) ?? listFor(ask, first, last);
        lists.set(key, list);
        return list;
      },
      post: (id) => ask((to) => findPost(to, id)),
      queueFrom: (row, position) => queueFor(ask, row, position),
    };
  };
}
