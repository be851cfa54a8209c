import { channel, document, image, video } from '../support/posts.ts';
import { custom, ground, withPosts } from '../support/running-posts.ts';

const GOOGLE = channel('3d04');
const THREADS = channel('3d0c');

withPosts();

const IDEA_OF_RUNNERS = '5e1f0c9a7b3d4e2f8a6c6b08';
const IDEA_OF_RECORDS = '5e1f0c9a7b3d4e2f8a6c6b12';
const NO_IDEA = 'The idea must be one of the organization.';
const LONG = 'a'.repeat(10_001);
const TOO_LONG = 'Each text of assets and metadata has at most 10000 characters.';

const withImage = (url: string) => ({ assets: [{ image: { url } }] });

describe('input that cannot be', () => {
  test.each([
    [
      'metadata of another service',
      { metadata: { instagram: { type: 'post', shouldShareToFeed: true } } },
      'Metadata for instagram does not fit this channel.',
    ],
    [
      'an asset that is two',
      { assets: [{ ...image, ...video }] },
      'Each asset must be exactly one of image, video, document and link.',
    ],
    [
      'an asset that is none',
      { assets: [{ image: null }] },
      'Each asset must be exactly one of image, video, document and link.',
    ],
    [
      'a relative address',
      withImage('/one.png'),
      'Each address of an asset must be a whole http or https address.',
    ],
    [
      'a script for an address',
      withImage('javascript:alert(1)'),
      'Each address of an asset must be a whole http or https address.',
    ],
    [
      'a file for an address',
      withImage('file:///etc/passwd'),
      'Each address of an asset must be a whole http or https address.',
    ],
    [
      'an address without end',
      withImage(`https://x.example/${'a'.repeat(3000)}`),
      'Each address of an asset must be a whole http or https address.',
    ],
    ['21 assets', { assets: Array(21).fill(image) }, 'At most 20 assets are allowed.'],
    ['a text of 10,001 characters', { text: 'a'.repeat(10_001) }, 'Text has at most 10000 characters.'],
    ['NUL', { text: 'a\0b' }, 'Text cannot hold the character NUL.'],
    ['half a character', { text: '\ud800b' }, 'Text cannot hold half a character (a lone surrogate).'],
    [
      'a thread that begins otherwise',
      { metadata: { twitter: { thread: [{ text: 'Other' }] } } },
      'The first part of a thread must have the post’s text.',
    ],
    [
      'a link asset on a service without',
      { assets: [{ link: { url: 'https://x.example/' } }] },
      'A twitter channel does not take links as assets.',
    ],
    ['an unknown tag', { tagIds: ['__proto__'] }, 'Each tag must be one of the organization.'],
    [
      'a tag of another organization',
      { tagIds: ['5e1f0c9a7b3d4e2f8a6c6e07'] },
      'Each tag must be one of the organization.',
    ],
    ['51 tags', { tagIds: Array(51).fill('5e1f0c9a7b3d4e2f8a6c6e01') }, 'At most 50 tags are allowed.'],
    ['an unknown idea', { ideaId: 'constructor' }, NO_IDEA],
    ['an idea of another organization', { ideaId: IDEA_OF_RUNNERS }, NO_IDEA],
    ['an idea of somebody else', { ideaId: IDEA_OF_RECORDS }, NO_IDEA],
    ['a source without end', { source: 'a'.repeat(101) }, 'source has at most 100 characters.'],
    [
      'an alternative text without end',
      { assets: [{ image: { ...image.image, metadata: { altText: LONG } } }] },
      TOO_LONG,
    ],
    [
      'the title of a document in a thread without end',
      {
        metadata: {
          twitter: {
            thread: [
              { text: 'Hello' },
              { text: '', assets: [{ document: { ...document.document, title: LONG } }] },
            ],
          },
        },
      },
      TOO_LONG,
    ],
    [
      'the comment of a retweet without end',
      { metadata: { twitter: { retweet: { id: '1', comment: LONG } } } },
      TOO_LONG,
    ],
    [
      'an image without height',
      {
        assets: [
          { image: { ...image.image, metadata: { altText: '', dimensions: { width: 1, height: 0 } } } },
        ],
      },
      'The dimensions of an image must be positive.',
    ],
    [
      'a thread of more than 64 kB',
      {
        saveToDraft: true,
        metadata: {
          twitter: {
            thread: [{ text: 'Hello' }, ...Array.from({ length: 7 }, () => ({ text: 'a'.repeat(9999) }))],
          },
        },
      },
      'The post is larger than 64 kB.',
    ],
  ])('%s', async (_what, input, message) => {
    expect(await ground.refusal(input)).toEqual(['InvalidInputError', `Invalid post: ${message}`]);
  });

  test('a link attachment and assets exclude each other, and so do two links', async () => {
    const metadata = { threads: { linkAttachment: { url: 'https://x.example/' } } };
    const link = { link: { url: 'https://y.example/' } };
    expect((await ground.refusal({ channelId: THREADS, metadata, assets: [image] }))[1]).toBe(
      'Invalid post: A link attachment and assets exclude each other.',
    );
    expect((await ground.refusal({ channelId: THREADS, metadata, assets: [link] }))[1]).toBe(
      'Invalid post: Only one link is allowed.',
    );
    const bad = { threads: { linkAttachment: { url: 'ftp://x.example/' } } };
    expect((await ground.refusal({ channelId: THREADS, metadata: bad }))[1]).toBe(
      'Invalid post: Each link must be a whole http or https address.',
    );
  });

  test('all reasons come at once', async () => {
    expect(await ground.refusal({ text: '', mode: 'customScheduled', tagIds: ['no'] })).toEqual([
      'InvalidInputError',
      'Invalid post: Text or an asset is required., dueAt is required for customScheduled., Each tag must be one of the organization.',
    ]);
  });

  test('what does not fit the schema is 400', async () => {
    const bad = [
      { mode: 'recommendedTime' },
      { schedulingType: undefined },
      { assets: { images: [] } },
      { text: 5 },
      { unknown: true },
      { dueAt: 'soon' },
    ];
    const statuses = await Promise.all(bad.map(async (input) => (await ground.create(input)).status));
    expect(statuses).toEqual(bad.map(() => 400));
  });

  test('a body of a megabyte is 413', async () => {
    const { status, errors } = await ground.create({ text: 'a'.repeat(1_000_000) });
    expect([status, errors[0].message]).toEqual([413, expect.any(String)]);
  });
});

describe('channels that cannot be posted to', () => {
  test.each([['unknown'], ['__proto__'], [channel('3d08')]])('%s is not found', async (channelId) => {
    expect(await ground.refusal({ channelId })).toEqual(['NotFoundError', 'Channel not found']);
  });

  test('disconnected and locked ones are not authorized', async () => {
    expect(await ground.refusal({ channelId: channel('3d02') })).toEqual([
      'UnauthorizedError',
      expect.stringMatching(/disconnected/),
    ]);
    expect(await ground.refusal({ channelId: GOOGLE })).toEqual([
      'UnauthorizedError',
      expect.stringMatching(/locked/),
    ]);
  });

  test('an organization whose plan is used up has reached its limit, also by editing', async () => {
    const channelId = channel('3d07');
    const draft = await ground.made({ channelId, saveToDraft: true });
    for (let left = 7; left > 0; left -= 1) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await custom({ channelId })).__typename).toBe('PostActionSuccess');
    }
    expect(await ground.refusal({ channelId })).toEqual([
      'LimitReachedError',
      'The plan allows 10 scheduled posts. Wait for one to be sent, or delete one.',
    ]);
    const edited = await ground.edit({ id: draft.id, mode: 'addToQueue' });
    expect(edited.__typename).toBe('LimitReachedError');
    expect((await ground.post(draft.id)).status).toBe('draft');
    expect((await ground.create({ channelId, mode: 'shareNow' })).__typename).toBe('PostActionSuccess');
    expect((await ground.create({ channelId, saveToDraft: true })).__typename).toBe('PostActionSuccess');
  });
});
