import { DAY, daily, iso } from '../support/posts.ts';
import { ground, withPosts } from '../support/running-posts.ts';

withPosts();

interface Post {
  id: string;
  dueAt: string;
}

const UNKNOWN = '0'.repeat(24);
/** Half a day off, so that no time of the queue comes while a test runs. */
const SLOT = iso(Date.now() + DAY / 2).slice(11, 16);

const channelWith = (changes: object = {}) =>
  ground.addChannel({ postingSchedule: daily([SLOT]), timezone: 'UTC', ...changes });

async function queued(channelId: string, count: number): Promise<Post[]> {
  const posts: Post[] = [];
  // oxlint-disable-next-line no-await-in-loop -- one behind the other
  while (posts.length < count) posts.push(await ground.made({ channelId }));
  return posts;
}

async function moved(post: Post, position: string) {
  const answer = await ground.move(post.id, position);
  expect(answer.__typename).toBe('PostActionSuccess');
  expect(await ground.post(post.id)).toEqual(answer.post);
  return answer.post;
}

/** On which day, counted from the one at `time`, each post is due. */
const daysFrom = (time: number, posts: Post[]) =>
  Promise.all(posts.map(async ({ id }) => (Date.parse((await ground.post(id)).dueAt) - time) / DAY));

async function four() {
  const channelId = channelWith();
  const posts = await queued(channelId, 4);
  const [first = ''] = posts.map(({ dueAt }) => dueAt);
  return { channelId, posts, time: Date.parse(first) };
}

describe('a post moved to the top', () => {
  test('takes the first time, and those before it go one time further', async () => {
    const { posts, time } = await four();
    const [, , third] = posts;
    const { dueAt, shareMode } = await moved(third!, 'top');
    expect([dueAt, shareMode]).toEqual([iso(time), 'addToQueue']);
    expect(await daysFrom(time, posts)).toEqual([1, 2, 0, 3]);
    await moved(third!, 'top');
    expect(await daysFrom(time, posts)).toEqual([1, 2, 0, 3]);
  });

  test('passes over times that other posts have for their own', async () => {
    const { channelId, posts, time } = await four();
    ground.makeDue(posts[1]!.id, time + 8 * DAY);
    const fixed = await ground.made({ channelId, mode: 'customScheduled', dueAt: iso(time + DAY) });
    await moved(posts[3]!, 'top');
    expect(await daysFrom(time, [...posts, fixed])).toEqual([2, 8, 3, 0, 1]);
  });

  test('joins the queue when it had a time of its own', async () => {
    const { channelId, posts, time } = await four();
    const fixed = await ground.made({ channelId, mode: 'customScheduled', dueAt: iso(time + 30 * DAY) });
    const post = await moved(fixed, 'top');
    expect([post.shareMode, post.isCustomScheduled]).toEqual(['addToQueue', false]);
    expect(await daysFrom(time, [fixed, ...posts])).toEqual([0, 1, 2, 3, 4]);
  });

  test('is before those that wait in a paused queue, and nobody gets a time that went by', async () => {
    const { channelId, posts, time } = await four();
    ground.changeChannel(channelId, { isQueuePaused: true });
    ground.makeDue(posts[0]!.id, time - 3 * DAY);
    ground.makeDue(posts[1]!.id, time - 2 * DAY);
    await moved(posts[3]!, 'top');
    expect(await daysFrom(time, posts)).toEqual([1, 2, 3, 0]);
  });

  test('stands where a list by time begins, for every order that is asked for', async () => {
    const { channelId, posts } = await four();
    const wanted = [2, 0, 3, 1].map((place) => posts[place]!.id);
    // oxlint-disable-next-line no-await-in-loop -- one move after the other
    for (const id of wanted.toReversed()) await ground.move(id, 'top');
    const sort = [{ field: 'dueAt', direction: 'asc' }];
    const { edges } = await ground.list({ channelIds: [channelId] }, { sort });
    expect(edges.map(({ node }: { node: Post }) => node.id)).toEqual(wanted);
  });
});

describe('a post moved to the bottom', () => {
  test('takes the last time, and those behind it move up', async () => {
    const { posts, time } = await four();
    await moved(posts[1]!, 'bottom');
    expect(await daysFrom(time, posts)).toEqual([0, 3, 1, 2]);
    await moved(posts[1]!, 'bottom');
    expect(await daysFrom(time, posts)).toEqual([0, 3, 1, 2]);
  });

  test('takes the time behind the last one when it had one of its own', async () => {
    const { channelId, posts, time } = await four();
    const fixed = await ground.made({ channelId, mode: 'customScheduled', dueAt: iso(time + 90_000) });
    await moved(fixed, 'bottom');
    expect(await daysFrom(time, [...posts, fixed])).toEqual([0, 1, 2, 3, 4]);
  });

  test('of a paused queue leaves the times that went by to nobody', async () => {
    const { channelId, posts, time } = await four();
    ground.changeChannel(channelId, { isQueuePaused: true });
    ground.makeDue(posts[0]!.id, time - 3 * DAY);
    await moved(posts[0]!, 'bottom');
    expect(await daysFrom(time, posts)).toEqual([4, 1, 2, 3]);
  });
});

test('a post that is first by shareNext is before those that wait in a paused queue', async () => {
  const { channelId, posts, time } = await four();
  ground.changeChannel(channelId, { isQueuePaused: true });
  ground.makeDue(posts[0]!.id, time - 3 * DAY);
  const next = await ground.made({ channelId, mode: 'shareNext' });
  expect(await daysFrom(time, [next, ...posts])).toEqual([0, 1, 2, 3, 4]);
});

test('a paused queue takes posts and keeps them, and lets pass what is shared now', async () => {
  const { channelId, posts } = await four();
  ground.changeChannel(channelId, { isQueuePaused: true });
  const [waiting] = posts;
  expect((await ground.made({ channelId })).status).toBe('scheduled');
  expect((await ground.made({ channelId, mode: 'shareNow' })).status).toBe('sent');
  const { post } = await ground.edit({ id: waiting!.id, mode: 'shareNow' });
  expect([post.status, post.sharedNow]).toEqual(['sent', true]);
  expect(await ground.remove(waiting!.id)).toEqual({ __typename: 'DeletePostSuccess', id: waiting!.id });
  expect((await ground.remove(waiting!.id)).__typename).toBe('VoidMutationError');
});

test('its content is not looked at, and the channel need not be usable', async () => {
  const { channelId, posts, time } = await four();
  ground.changeChannel(channelId, { service: 'instagram', isLocked: true });
  await moved(posts[1]!, 'top');
  expect(await daysFrom(time, posts)).toEqual([1, 0, 2, 3]);
});

test('parallel moves leave every post a time of its own', async () => {
  const { posts, time } = await four();
  await Promise.all(posts.flatMap((post) => [ground.move(post.id, 'top'), ground.move(post.id, 'bottom')]));
  expect((await daysFrom(time, posts)).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
});

describe('is refused, and nothing moves', () => {
  test.each(['draft', 'needs_approval', 'sent'])('a post that is %s', async (status) => {
    const more = { draft: { saveToDraft: true }, needs_approval: { needsApproval: true } }[status] ?? {
      mode: 'shareNow',
    };
    const { id } = await ground.made({ channelId: channelWith(), ...more });
    const before = await ground.post(id);
    expect(before.status).toBe(status);
    expect(await ground.move(id, 'top')).toEqual({
      __typename: 'VoidMutationError',
      message: 'Only a scheduled post stands in a queue',
    });
    expect(await ground.post(id)).toEqual(before);
  });

  test('a post that is not there, or another person’s', async () => {
    const [post] = await queued(channelWith(), 1);
    const refusal = { __typename: 'VoidMutationError', message: 'Post not found' };
    expect(await ground.move(UNKNOWN, 'top')).toEqual(refusal);
    expect(await ground.move(post!.id, 'bottom', ground.stranger)).toEqual(refusal);
  });

  test.each(['top', 'bottom'])('a move to the %s of a schedule without times', async (position) => {
    const { channelId, posts, time } = await four();
    const fixed = await ground.made({ channelId, mode: 'customScheduled', dueAt: iso(time + 9 * DAY) });
    ground.changeChannel(channelId, { postingSchedule: [] });
    const answer = await ground.move(fixed.id, position);
    expect([answer.__typename, answer.message]).toEqual([
      'VoidMutationError',
      'Invalid post: The posting schedule of this channel has no free time.',
    ]);
    expect(await daysFrom(time, [...posts, fixed])).toEqual([0, 1, 2, 3, 9]);
  });

  test('a caller without posts:write', async () => {
    const reader = await ground.bearerFor('posts:read');
    const answer = await ground.move(UNKNOWN, 'top', reader);
    expect(answer.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});
