import { channel, DAY, daily, image, iso, TWITTER } from '../support/posts.ts';
import { ground, withPosts } from '../support/running-posts.ts';

const TAGS = ['5e1f0c9a7b3d4e2f8a6c6e01', '5e1f0c9a7b3d4e2f8a6c6e02'];

withPosts();

const later = (days = 1) => iso(Date.now() + days * DAY);
const rich = (more: object = {}) =>
  ground.made({
    mode: 'customScheduled',
    dueAt: later(),
    assets: [image],
    tagIds: TAGS,
    metadata: { twitter: { isAiGenerated: true } },
    ...more,
  });

async function edited(input: object) {
  const answer = await ground.edit(input);
  expect(answer.__typename).toBe('PostActionSuccess');
  expect(await ground.post(answer.post.id)).toEqual(answer.post);
  return answer.post;
}

/** The refusal of an edit, which must leave the post as it is. */
async function refusal(input: { id: string; [field: string]: unknown }) {
  const before = await ground.post(input.id);
  const { __typename, message } = await ground.edit(input);
  expect(await ground.post(input.id)).toEqual(before);
  return [__typename, message];
}

describe('editing', () => {
  test('nothing but the id changes nothing but updatedAt', async () => {
    const post = await rich();
    const { updatedAt, ...rest } = await edited({ id: post.id });
    expect({ ...rest, updatedAt: post.updatedAt }).toEqual(post);
    expect(updatedAt >= post.updatedAt).toBe(true);
  });

  test('null keeps everything but the text', async () => {
    const post = await rich();
    const nulls = {
      mode: null,
      assets: null,
      tagIds: null,
      metadata: null,
      schedulingType: null,
      saveToDraft: null,
    };
    const { updatedAt, ...rest } = await edited({ id: post.id, ...nulls });
    expect({ ...rest, updatedAt: post.updatedAt }).toEqual(post);
    expect(updatedAt).toEqual(expect.any(String));
    expect((await edited({ id: post.id, text: null })).text).toBe('');
  });

  test('assets are kept when they are left out, and cleared by an empty list', async () => {
    const { id } = await rich();
    expect((await edited({ id, text: 'Other words' })).assets).toHaveLength(1);
    expect((await edited({ id, assets: [image, image] })).assets).toHaveLength(2);
    expect((await edited({ id, assets: [] })).assets).toEqual([]);
    expect(await refusal({ id, text: '' })).toEqual([
      'InvalidInputError',
      'Invalid post: Text or an asset is required.',
    ]);
  });

  test('tags and metadata are replaced as a whole', async () => {
    const { id, tags } = await rich();
    expect(tags.map(({ name }: { name: string }) => name)).toEqual(['breads', 'everyday']);
    expect((await edited({ id, tagIds: [TAGS[1]] })).tags).toHaveLength(1);
    expect((await edited({ id, tagIds: [] })).tags).toEqual([]);
    const thread = [{ text: 'Hello' }, { text: 'More' }];
    const { metadata } = await edited({ id, metadata: { twitter: { thread } } });
    expect([metadata.type, metadata.threadCount]).toEqual(['thread', 2]);
    expect((await refusal({ id, text: 'Other' }))[1]).toBe(
      'Invalid post: The first part of a thread must have the post’s text.',
    );
  });

  test('a mode gives a new time, and without one dueAt is not looked at', async () => {
    const channelId = ground.addChannel({ postingSchedule: daily(['10:00']), timezone: 'UTC' });
    const post = await rich({ channelId });
    expect((await edited({ id: post.id, dueAt: later(9) })).dueAt).toBe(post.dueAt);
    const moved = later(9);
    expect((await edited({ id: post.id, mode: 'customScheduled', dueAt: moved })).dueAt).toBe(moved);
    const queued = await edited({ id: post.id, mode: 'addToQueue' });
    expect([queued.dueAt.slice(11), queued.shareMode, queued.isCustomScheduled]).toEqual([
      '10:00:00.000Z',
      'addToQueue',
      false,
    ]);
    // Its own time is not taken by itself.
    expect((await edited({ id: post.id, mode: 'addToQueue' })).dueAt).toBe(queued.dueAt);
    const other = await ground.made({ channelId });
    const first = await edited({ id: other.id, mode: 'shareNext' });
    expect([first.dueAt, (await ground.post(post.id)).dueAt]).toEqual([queued.dueAt, other.dueAt]);
    expect(await edited({ id: post.id, mode: 'shareNow' })).toMatchObject({
      status: 'sent',
      sharedNow: true,
    });
  });

  test('a draft gets a time by a mode, and loses it by saveToDraft', async () => {
    const { id } = await ground.made({ saveToDraft: true, mode: 'customScheduled' });
    expect((await refusal({ id, mode: 'customScheduled' }))[1]).toBe(
      'Invalid post: dueAt is required for customScheduled.',
    );
    expect((await edited({ id, mode: 'addToQueue' })).status).toBe('scheduled');
    expect(await edited({ id, saveToDraft: true })).toMatchObject({
      status: 'draft',
      dueAt: null,
      shareMode: 'addToQueue',
    });
  });

  test('a draft may stay incomplete, but cannot be scheduled so', async () => {
    const { id } = await ground.made({ channelId: channel('3d03'), saveToDraft: true });
    expect((await edited({ id, text: 'Still no picture' })).status).toBe('draft');
    expect((await refusal({ id, mode: 'addToQueue' }))[1]).toMatch(/at least one image/);
  });

  test('approval is asked for, taken back, and given by a mode', async () => {
    const { id } = await ground.made({ saveToDraft: true, mode: 'customScheduled' });
    expect(await edited({ id, approvalChange: 'request' })).toMatchObject({
      status: 'needs_approval',
      dueAt: null,
    });
    expect((await refusal({ id, mode: 'customScheduled' }))[1]).toMatch(/dueAt is required/);
    expect((await edited({ id, approvalChange: 'request' })).status).toBe('needs_approval');
    expect((await refusal({ id, approvalChange: 'request', saveToDraft: false }))[1]).toMatch(
      /saveToDraft cannot be false/,
    );
    expect((await edited({ id, approvalChange: 'revert' })).status).toBe('draft');
    expect((await edited({ id, approvalChange: 'revert' })).status).toBe('draft');
    const dueAt = later(3);
    const asked = await edited({ id, approvalChange: 'request', mode: 'customScheduled', dueAt });
    expect([asked.status, asked.dueAt]).toEqual(['needs_approval', dueAt]);
    expect(await edited({ id, mode: 'customScheduled' })).toMatchObject({ status: 'scheduled', dueAt });
    expect((await refusal({ id, approvalChange: 'request' }))[1]).toBe(
      'Invalid post: Only a draft can ask for approval.',
    );
    expect((await refusal({ id, approvalChange: 'revert' }))[1]).toBe(
      'Invalid post: This post does not wait for approval.',
    );
  });

  test('a failed post is scheduled anew and forgets its error', async () => {
    const { edges } = await ground.list({ status: ['error'], channelIds: [channel('3d03')] });
    const [{ node }] = edges;
    const video = { video: { url: 'https://images.example/reel.mp4' } };
    expect((await edited({ id: node.id, assets: [video] })).error.message).toMatch(/reel/);
    expect(await edited({ id: node.id, mode: 'addToQueue' })).toMatchObject({
      status: 'scheduled',
      error: null,
    });
  });
});

describe('edits that are refused', () => {
  test('a sent post stays as it is, also when it was due a moment ago', async () => {
    const { id } = await rich();
    ground.makeDue(id);
    const refused = ['InvalidInputError', 'Invalid post: A post that was sent cannot be edited.'];
    const { __typename, message } = await ground.edit({ id, text: 'Too late' });
    expect([__typename, message]).toEqual(refused);
    expect(await ground.post(id)).toMatchObject({ status: 'sent', text: 'Hello' });
    expect(await refusal({ id })).toEqual(refused);
  });

  test('a post of another account looks like none', async () => {
    const { id } = await rich();
    const before = await ground.post(id);
    const notFound = { __typename: 'NotFoundError', message: 'Post not found' };
    expect(await ground.edit({ id, text: 'Mine now' }, ground.stranger)).toEqual(notFound);
    expect(await ground.edit({ id: 'unknown' })).toEqual(notFound);
    expect(await ground.edit({ id: '__proto__' })).toEqual(notFound);
    expect(await ground.post(id)).toEqual(before);
  });

  test('a channel that was lost takes no new times, but words can be changed', async () => {
    const channelId = ground.addChannel();
    const { id } = await rich({ channelId });
    ground.changeChannel(channelId, { isDisconnected: true });
    expect((await refusal({ id, mode: 'addToQueue' }))[0]).toBe('UnauthorizedError');
    expect((await edited({ id, text: 'New words' })).text).toBe('New words');
    expect((await edited({ id, saveToDraft: true })).status).toBe('draft');
  });

  test.each([
    ['the past', { mode: 'customScheduled', dueAt: '2020-01-01T00:00:00Z' }, 'dueAt must lie in the future.'],
    [
      'other metadata',
      { metadata: { google: { type: 'offer' } } },
      'Metadata for google does not fit this channel.',
    ],
    ['an unknown tag', { tagIds: ['unknown'] }, 'Each tag must be one of the organization.'],
    ['NUL', { text: '\0' }, 'Text cannot hold the character NUL.'],
    [
      'no draft that asks for approval',
      { saveToDraft: false, approvalChange: 'request' },
      'A post that waits for approval is a draft: saveToDraft cannot be false., Only a draft can ask for approval.',
    ],
  ])('%s', async (_what, input, message) => {
    const { id } = await rich();
    expect(await refusal({ id, ...input })).toEqual(['InvalidInputError', `Invalid post: ${message}`]);
  });
});

describe('deleting', () => {
  const gone = { __typename: 'VoidMutationError', message: 'Post not found' };

  test('forgets the post with its tags; a second time there is none', async () => {
    const { id } = await rich();
    expect(await ground.remove(id)).toEqual({ __typename: 'DeletePostSuccess', id });
    expect((await ground.post(id)).errors[0].extensions.code).toBe('NOT_FOUND');
    expect(await ground.remove(id)).toEqual(gone);
    const tags = ground.db.prepare('select count(*) from post_tags where post_id = ?').pluck();
    expect(tags.get(id)).toBe(0);
  });

  test('two at once delete it once', async () => {
    const { id } = await rich();
    const answers = await Promise.all([ground.remove(id), ground.remove(id)]);
    expect(answers.map(({ __typename }): string => __typename).toSorted()).toEqual([
      'DeletePostSuccess',
      'VoidMutationError',
    ]);
  });

  test('leaves posts of another account alone', async () => {
    const { id } = await rich();
    expect(await ground.remove(id, ground.stranger)).toEqual(gone);
    expect((await ground.post(id)).id).toBe(id);
    expect(await ground.remove('__proto__')).toEqual(gone);
  });
});

describe('from the second account', () => {
  test('nothing of the first can be seen or used', async () => {
    const { id } = await rich();
    const as = ground.stranger;
    expect((await ground.create({}, as)).message).toBe('Channel not found');
    expect((await ground.post(id, as)).errors[0].extensions.code).toBe('NOT_FOUND');
    expect((await ground.list({}, { as })).errors[0].extensions.code).toBe('NOT_FOUND');
    const own = await ground.list(
      { channelIds: [TWITTER] },
      { as, organizationId: '5e1f0c9a7b3d4e2f8a6c2d03' },
    );
    expect(own.edges).toEqual([]);
    const borrowed = { channelId: channel('3d08'), saveToDraft: true, tagIds: TAGS };
    expect((await ground.create(borrowed, as)).message).toBe(
      'Invalid post: Each tag must be one of the organization.',
    );
  });
});

const fail = (event: string) =>
  ground.db.exec(`create trigger broken before ${event} on posts begin select raise(abort, 'broken'); end`);
const unexpected = (__typename: string) => ({ __typename, message: 'An unexpected error occurred' });

describe('a store that fails', () => {
  afterEach(() => ground.db.exec('drop trigger if exists broken'));

  test('is UnexpectedError for createPost and editPost, and nothing is changed', async () => {
    const post = await rich();
    fail('insert');
    expect(await ground.create()).toEqual(unexpected('UnexpectedError'));
    ground.db.exec('drop trigger broken');
    fail('update');
    expect(await ground.edit({ id: post.id, text: 'Lost' })).toEqual(unexpected('UnexpectedError'));
    ground.db.exec('drop trigger broken');
    expect(await ground.post(post.id)).toEqual(post);
  });

  test('is VoidMutationError for deletePost', async () => {
    const { id } = await rich();
    fail('delete');
    expect(await ground.remove(id)).toEqual(unexpected('VoidMutationError'));
    ground.db.exec('drop trigger broken');
    expect((await ground.post(id)).id).toBe(id);
  });

  test('takes back what shareNext had moved', async () => {
    const channelId = ground.addChannel({ postingSchedule: daily(['10:00']), timezone: 'UTC' });
    const one = await ground.made({ channelId });
    fail('insert');
    expect((await ground.create({ channelId, mode: 'shareNext' })).__typename).toBe('UnexpectedError');
    expect((await ground.post(one.id)).dueAt).toBe(one.dueAt);
  });
});
