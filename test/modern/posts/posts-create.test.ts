import { channel, DAY, daily, document, iso, tomorrow, TWITTER, video } from '../support/posts.ts';
import { custom, ground, withPosts } from '../support/running-posts.ts';

const INSTAGRAM = channel('3d03');

withPosts();

describe('a new post', () => {
  test('has everything that was said, and who said it', async () => {
    const dueAt = tomorrow();
    const tag = '5e1f0c9a7b3d4e2f8a6c6e02';
    const { __typename, post } = await ground.create({
      mode: 'customScheduled',
      dueAt,
      text: 'Fresh \u{1F35E} and “warm”',
      assets: [
        {
          image: {
            url: 'https://images.example/a.GIF?size=1',
            thumbnailUrl: 'https://images.example/a-small.jpg',
            metadata: {
              altText: 'A loaf',
              dimensions: { width: 3, height: 2 },
              userTags: [{ handle: '@oven', x: 0.5, y: 0.25 }],
            },
          },
        },
        video,
        document,
      ],
      tagIds: [tag, tag],
      ideaId: '5e1f0c9a7b3d4e2f8a6c6b01',
      source: 'test',
      aiAssisted: true,
    });
    expect(__typename).toBe('PostActionSuccess');
    expect(post).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      status: 'scheduled',
      text: 'Fresh \u{1F35E} and “warm”',
      via: 'api',
      schedulingType: 'automatic',
      isCustomScheduled: true,
      sharedNow: false,
      shareMode: 'customScheduled',
      dueAt,
      sentAt: null,
      ideaId: '5e1f0c9a7b3d4e2f8a6c6b01',
      channelId: TWITTER,
      author: { email: 'demo@grantbridge.example', name: 'Dana Demo' },
      tags: [{ id: tag, name: 'breads', color: '#C9822B', colorName: 'orange', isLocked: false }],
      externalLink: null,
      error: null,
    });
    expect(post.assets).toEqual([
      {
        __typename: 'ImageAsset',
        id: null,
        type: 'image',
        mimeType: 'image/gif',
        source: 'https://images.example/a.GIF?size=1',
        thumbnail: 'https://images.example/a-small.jpg',
        image: {
          altText: 'A loaf',
          width: 3,
          height: 2,
          isAnimated: true,
          userTags: [{ handle: '@oven', x: 0.5, y: 0.25 }],
        },
      },
      expect.objectContaining({ type: 'video', mimeType: 'video/mp4', video: { durationMs: 0 } }),
      expect.objectContaining({
        type: 'document',
        mimeType: 'application/pdf',
        document: { numPages: 0, thumbnails: ['https://x.example/a.png'] },
      }),
    ]);
    expect(await ground.post(post.id)).toEqual(post);
  });

  test('is a draft without a time when it is saved as one, even if it is not complete', async () => {
    const input = {
      channelId: INSTAGRAM,
      saveToDraft: true,
      mode: 'customScheduled',
      dueAt: tomorrow(),
      text: '',
    };
    const { post } = await ground.create(input);
    expect(post).toMatchObject({ status: 'draft', dueAt: null, sentAt: null });
    expect(post.allowedActions).toContain('requestPostApproval');
  });

  test('waits for approval when it needs one, with its own time or without any', async () => {
    const dueAt = tomorrow();
    const { post } = await custom({ needsApproval: true, dueAt });
    expect(post).toMatchObject({ status: 'needs_approval', dueAt });
    const queued = await ground.create({ needsApproval: true });
    expect(queued.post).toMatchObject({ status: 'needs_approval', dueAt: null });
    const draft = await ground.create({ needsApproval: true, saveToDraft: true });
    expect(draft.post.status).toBe('needs_approval');
    expect(await ground.refusal({ needsApproval: true, saveToDraft: false })).toEqual([
      'InvalidInputError',
      'Invalid post: A post that waits for approval is a draft: saveToDraft cannot be false.',
    ]);
  });
});

describe('modes', () => {
  test('shareNow sends at once', async () => {
    const before = Date.now();
    const { post } = await ground.create({ mode: 'shareNow', dueAt: tomorrow() });
    expect(post).toMatchObject({ status: 'sent', sharedNow: true, isCustomScheduled: false });
    expect(Date.parse(post.sentAt)).toBeGreaterThanOrEqual(before);
    expect([post.dueAt, post.externalLink]).toEqual([
      post.sentAt,
      `https://twitter.example/danasbakery/posts/${post.id}`,
    ]);
  });

  test.each([
    ['no dueAt', {}, 'dueAt is required for customScheduled.'],
    ['null', { dueAt: null }, 'dueAt is required for customScheduled.'],
    ['the past', { dueAt: '2020-01-01T00:00:00Z' }, 'dueAt must lie in the future.'],
    ['the far future', { dueAt: '2099-01-01T00:00:00Z' }, 'dueAt must lie within the next two years.'],
  ])('customScheduled with %s is refused', async (_what, time, message) => {
    expect(await ground.refusal({ mode: 'customScheduled', ...time })).toEqual([
      'InvalidInputError',
      `Invalid post: ${message}`,
    ]);
  });

  test('the queue passes over posts with times of their own, and ignores dueAt', async () => {
    const channelId = ground.addChannel({ postingSchedule: daily(['10:00']), timezone: 'UTC' });
    const first = await ground.made({ channelId, dueAt: iso(Date.now() + 300 * DAY) });
    const time = Date.parse(first.dueAt);
    expect(time).toBeLessThan(Date.now() + DAY);
    expect(first.isCustomScheduled).toBe(false);
    await ground.made({ channelId, mode: 'customScheduled', dueAt: iso(time + DAY) });
    expect((await ground.made({ channelId })).dueAt).toBe(iso(time + 2 * DAY));
    await ground.remove(first.id);
    expect((await ground.made({ channelId })).dueAt).toBe(iso(time));
  });

  test('parallel posts get times of their own', async () => {
    const channelId = ground.addChannel({
      postingSchedule: daily(['10:00', '11:00'], ['sat']),
      timezone: 'UTC',
    });
    const posts = await Promise.all(Array.from({ length: 8 }, () => ground.made({ channelId })));
    expect(new Set(posts.map(({ dueAt }) => dueAt)).size).toBe(8);
    expect(posts.some(({ dueAt }) => new Date(dueAt).getUTCDay() === 6)).toBe(false);
  });

  test('shareNext moves queued posts that are in the way one time further, and no others', async () => {
    const channelId = ground.addChannel({ postingSchedule: daily(['10:00']), timezone: 'UTC' });
    const one = await ground.made({ channelId });
    const time = Date.parse(one.dueAt);
    const fixed = await ground.made({ channelId, mode: 'customScheduled', dueAt: iso(time + DAY) });
    const two = await ground.made({ channelId });
    const three = await ground.made({ channelId });
    const far = await ground.made({ channelId });
    ground.makeDue(far.id, time + 9 * DAY);

    const next = await ground.made({ channelId, mode: 'shareNext' });
    expect([next.dueAt, next.shareMode]).toEqual([iso(time), 'shareNext']);
    const days = async ({ id }: { id: string }) => (Date.parse((await ground.post(id)).dueAt) - time) / DAY;
    expect(await Promise.all([one, fixed, two, three, far].map(days))).toEqual([2, 1, 3, 4, 9]);

    const again = await ground.made({ channelId, mode: 'shareNext' });
    expect(again.dueAt).toBe(iso(time));
    expect(await Promise.all([next, one, fixed, two, three, far].map(days))).toEqual([2, 3, 1, 4, 5, 9]);
  });

  test.each([
    ['addToQueue', daily([])],
    ['shareNext', daily(['10:00'], ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])],
  ])('%s is refused where the schedule has no time', async (mode, postingSchedule) => {
    const channelId = ground.addChannel({ postingSchedule });
    expect(await ground.refusal({ channelId, mode })).toEqual([
      'InvalidInputError',
      'Invalid post: The posting schedule of this channel has no free time.',
    ]);
  });
});

test('reading needs posts:read and writing posts:write', async () => {
  const tokens = await Promise.all(['posts:read', 'posts:write'].map((scope) => ground.bearerFor(scope)));
  const read = '{ post(input: { id: "x" }) { id } }';
  const write = 'mutation { deletePost(input: { id: "x" }) { __typename } }';
  const codes = await Promise.all(
    tokens.flatMap((token) =>
      [read, write].map(async (query) => {
        const { body } = await ground.ask(query, {}, token);
        return body.errors?.[0].extensions.code ?? body.data.deletePost.__typename;
      }),
    ),
  );
  expect(codes).toEqual(['NOT_FOUND', 'FORBIDDEN', 'FORBIDDEN', 'VoidMutationError']);
});
