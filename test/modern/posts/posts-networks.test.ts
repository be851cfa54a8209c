import { channel, DAY, document, image, iso, TWITTER, video } from '../support/posts.ts';
import { ground, withPosts } from '../support/running-posts.ts';

const INSTAGRAM = channel('3d03');
const LINKEDIN = channel('3d05');
const PINTEREST = channel('3d09');
const TIKTOK = channel('3d0a');
const YOUTUBE = channel('3d0b');
const THREADS = channel('3d0c');
const START_PAGE = channel('3d0d');

let facebook: string;
let google: string;
let bluesky: string;
withPosts();
beforeAll(() => {
  facebook = ground.addChannel({ service: 'facebook' });
  google = ground.addChannel({ service: 'googlebusiness' });
  bluesky = ground.addChannel({ service: 'bluesky' });
});

const linkedIn = (start: number, length: number) => {
  const who = {
    id: '1',
    link: 'https://l.example/o',
    entity: 'urn:o:1',
    vanityName: 'o',
    localizedName: 'O',
  };
  return { linkedin: { annotations: [{ ...who, start, length }] } };
};

const onFacebook = (indices: number[]) => {
  const annotation = { content: '1', indices, text: 'Dana', url: 'https://facebook.example/1' };
  return { facebook: { type: 'post', annotations: [annotation] } };
};

const tomorrow = () => iso(Date.now() + DAY);

const query = (id: string) => `{ post(input: { id: "${id}" }) { metadata {
      ... on PinterestPostMetadata { title url board { serviceId name } }
      ... on YoutubePostMetadata { category { categoryId title } privacy license notifySubscribers embeddable madeForKids }
      ... on GoogleBusinessPostMetadata { details { __typename ... on GoogleBusinessOfferMetaData { title startDate code } } }
      ... on InstagramPostMetadata { firstComment geolocation { text } stickerFields { music } }
      ... on LinkedInPostMetadata { annotations { type indices content text url } }
      ... on FacebookPostMetadata { annotations { type indices content text url } }
      ... on BlueskyPostMetadata { linkAttachment { url title text thumbnail thumbnails expandedUrl } } } } }`;

const shown = async (input: object) => {
  const { id } = await ground.made({ mode: 'shareNow', ...input });
  return (await ground.ask(query(id))).body.data.post.metadata;
};

describe('what a service needs', () => {
  test.each([
    ['twitter', TWITTER, { text: ' ' }, 'Text or an asset is required.'],
    [
      'instagram',
      INSTAGRAM,
      {},
      'Instagram posts require at least one image or video., Instagram posts require a type (post, story, or reel).',
    ],
    ['tiktok', TIKTOK, { assets: [document] }, 'TikTok posts require at least one image or video.'],
    [
      'pinterest',
      PINTEREST,
      {},
      'Pinterest posts require an image., Pinterest posts require a board., The Pinterest board must be one of the channel.',
    ],
    [
      'youtube',
      YOUTUBE,
      { assets: [image] },
      'YouTube posts require a video., YouTube posts require a title., YouTube posts require a category.',
    ],
    ['startPage', START_PAGE, { text: null }, 'Text or an asset is required.'],
  ])('%s', async (_service, channelId, input, message) => {
    expect(await ground.refusal({ channelId, ...input })).toEqual([
      'InvalidInputError',
      `Invalid post: ${message}`,
    ]);
  });

  test('facebook and Google Business need a type', async () => {
    expect((await ground.refusal({ channelId: facebook }))[1]).toBe(
      'Invalid post: Facebook posts require a type (post, story, or reel).',
    );
    expect((await ground.refusal({ channelId: google }))[1]).toBe(
      'Invalid post: Google Business posts require a type (whats_new, event, or offer).',
    );
    const metadata = { google: { type: 'offer', detailsOffer: { title: 'Rolls' } } };
    const script = { google: { type: 'whats_new', detailsWhatsNew: { link: 'javascript:alert(1)' } } };
    expect((await ground.refusal({ channelId: google, metadata: script }))[1]).toBe(
      'Invalid post: Each link must be a whole http or https address.',
    );
    expect((await ground.refusal({ channelId: google, metadata }))[1]).toBe(
      'Invalid post: Google Business offers and events require a title, a start and an end that is not before it.',
    );
  });

  test('all twelve can be posted to, each with metadata of its own', async () => {
    const parts = { thread: [{ text: 'Hello' }, { text: 'More', assets: [image] }] };
    const event = { title: 'Open house', startDate: tomorrow(), endDate: tomorrow(), isFullDayEvent: true };
    const annotated = [
      {
        id: '1',
        link: 'https://l.example/o',
        entity: 'urn:o:1',
        vanityName: 'o',
        localizedName: 'O',
        start: 1,
        length: 2,
      },
    ];
    const cases: [string, object, string | undefined][] = [
      [TWITTER, { metadata: { twitter: { ...parts, isAiGenerated: true } } }, 'TwitterPostMetadata thread 2'],
      [facebook, { metadata: { facebook: { type: 'reel' } } }, 'FacebookPostMetadata reel'],
      [
        INSTAGRAM,
        { assets: [image], metadata: { instagram: { type: 'story', shouldShareToFeed: false } } },
        'InstagramPostMetadata story',
      ],
      [
        google,
        { metadata: { google: { type: 'event', detailsEvent: event } } },
        'GoogleBusinessPostMetadata event',
      ],
      [LINKEDIN, { metadata: { linkedin: { annotations: annotated } } }, 'LinkedInPostMetadata post'],
      [
        PINTEREST,
        { assets: [image], metadata: { pinterest: { boardServiceId: 'cakes' } } },
        'PinterestPostMetadata post',
      ],
      [TIKTOK, { assets: [video], metadata: { tiktok: { title: 'T' } } }, 'TiktokPostMetadata post'],
      [
        YOUTUBE,
        { assets: [video], metadata: { youtube: { title: 'Y', categoryId: '17' } } },
        'YoutubePostMetadata post',
      ],
      [channel('3d06'), { metadata: { mastodon: parts } }, 'MastodonPostMetadata thread 2'],
      [bluesky, { metadata: { bluesky: parts } }, 'BlueskyPostMetadata thread 2'],
      [
        THREADS,
        { metadata: { threads: { ...parts, type: 'ghost_post' } } },
        'ThreadsPostMetadata ghost_post 2',
      ],
      [START_PAGE, {}, undefined],
    ];
    const found = await Promise.all(
      cases.map(async ([channelId, input]) => {
        const { metadata } = await ground.made({ channelId, mode: 'shareNow', ...input });
        return metadata
          ? [metadata.__typename, metadata.type, metadata.threadCount].filter(Boolean).join(' ')
          : undefined;
      }),
    );
    expect(found).toEqual(cases.map(([, , expected]) => expected));
  });

  test('its own metadata comes back in the shape of the union', async () => {
    expect(
      await shown({
        channelId: PINTEREST,
        assets: [image],
        metadata: { pinterest: { boardServiceId: 'cakes', title: 'Tart', url: 'https://x.example/' } },
      }),
    ).toEqual({
      title: 'Tart',
      url: 'https://x.example/',
      board: { serviceId: 'cakes', name: 'Cakes for feasts' },
    });
    expect(
      await shown({
        channelId: YOUTUBE,
        assets: [video],
        metadata: {
          youtube: { title: 'Y', categoryId: '26', privacy: 'unlisted', license: 'creativeCommon' },
        },
      }),
    ).toEqual({
      category: { categoryId: '26', title: 'Howto & Style' },
      privacy: 'unlisted',
      license: 'creativeCommon',
      notifySubscribers: true,
      embeddable: true,
      madeForKids: false,
    });
    const detailsOffer = {
      title: 'Rolls',
      startDate: '2026-12-01T01:00:00+01:00',
      endDate: '2026-12-02T00:00:00Z',
      code: 'ROLL',
    };
    expect(await shown({ channelId: google, metadata: { google: { type: 'offer', detailsOffer } } })).toEqual(
      {
        details: {
          __typename: 'GoogleBusinessOfferMetaData',
          title: 'Rolls',
          startDate: '2026-12-01T00:00:00.000Z',
          code: 'ROLL',
        },
      },
    );
    const annotation = { content: '1', indices: [0, 4], text: 'Dana', url: 'https://facebook.example/1' };
    expect(
      await shown({
        channelId: facebook,
        metadata: { facebook: { type: 'post', annotations: [annotation] } },
      }),
    ).toEqual({ annotations: [{ type: 'mention', ...annotation }] });
    const linkAttachment = {
      url: 'https://x.example/',
      title: 'X',
      thumbnail: { url: 'https://x.example/x.png' },
    };
    expect(await shown({ channelId: bluesky, metadata: { bluesky: { linkAttachment } } })).toEqual({
      linkAttachment: {
        url: 'https://x.example/',
        title: 'X',
        text: '',
        thumbnail: 'https://x.example/x.png',
        thumbnails: ['https://x.example/x.png'],
        expandedUrl: null,
      },
    });
    const link = { url: 'https://y.example/', description: 'A link as an asset' };
    expect((await shown({ channelId: bluesky, assets: [{ link }], text: '' })).linkAttachment).toMatchObject({
      url: 'https://y.example/',
      title: 'https://y.example/',
      text: 'A link as an asset',
      thumbnails: [],
    });
  });

  test.each([
    ['LinkedIn beyond 32 bits', linkedIn(2_147_483_647, 2_147_483_647)],
    ['LinkedIn beyond the text', linkedIn(4, 2)],
    ['LinkedIn before the text', linkedIn(-1, 3)],
    ['LinkedIn backwards', linkedIn(3, -1)],
    ['Facebook beyond the text', onFacebook([0, 6])],
    ['Facebook before the text', onFacebook([-1, 3])],
    ['Facebook backwards', onFacebook([3, 2])],
    ['Facebook with one end', onFacebook([3])],
    ['Facebook with three ends', onFacebook([1, 2, 3])],
  ])('an annotation outside of its text is refused: %s', async (_what, metadata) => {
    const channelId = 'facebook' in metadata ? facebook : LINKEDIN;
    const message = 'Invalid post: Each annotation must begin and end within the text.';
    expect(await ground.refusal({ channelId, metadata })).toEqual(['InvalidInputError', message]);
  });

  test('an annotation may reach from the first to the last character, and not further when the text changes', async () => {
    const { id } = await ground.made({ channelId: LINKEDIN, metadata: linkedIn(0, 5) });
    expect((await ground.post(id)).metadata.annotations).toMatchObject([{ indices: [0, 5] }]);
    const message = 'Invalid post: Each annotation must begin and end within the text.';
    expect(await ground.edit({ id, text: 'Four' })).toMatchObject({ message });
    const metadata = linkedIn(0, 4);
    expect((await ground.edit({ id, text: 'Four', metadata })).post.metadata.annotations).toMatchObject([
      { indices: [0, 4] },
    ]);
  });
});
