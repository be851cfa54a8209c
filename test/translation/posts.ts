import type { UpdateView } from '../../src/domain/translation/old-update.ts';
import type { Post } from '../../src/upstream/posts/post.ts';

export const POST_ID = '56d58b4131b2c21e1e0c5b6d';
const AUTHOR = '4f4e7604512f7e803300000d';

/** A scheduled text, but for `changes`. */
export function postWith(changes: Partial<Post> = {}): Post {
  return {
    id: POST_ID,
    status: 'scheduled',
    via: 'api',
    createdAt: '2016-03-01T12:29:53.270Z',
    updatedAt: '2016-03-01T17:42:29.999Z',
    dueAt: '2016-03-02T02:08:00.000Z',
    sentAt: null,
    text: 'Three steps',
    channelId: '4f4e7605512f7e803300000a',
    channelService: 'twitter',
    sharedNow: false,
    author: { id: AUTHOR },
    assets: [],
    metadata: { linkAttachment: null },
    ...changes,
  };
}

/** How it is told on 1 March 2016, but for `changes`. */
export function viewWith(changes: Partial<UpdateView> = {}): UpdateView {
  return {
    profileId: '4f4e7605512f7e803300000f',
    account: { modernId: AUTHOR, toldId: '5160746d54f04a5e3a00000d' },
    zone: 'America/Asuncion',
    now: Date.parse('2016-03-01T15:00:00Z'),
    ...changes,
  };
}
