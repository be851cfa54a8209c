import { json, multipart, rawForm, type RawRequest, sendRaw } from '../../support/callers/raw-request.ts';
import { type Bakery, openBakery } from '../support/bakery.ts';
import { madePast, shownPast } from '../support/past-the-bridge.ts';
import { CHANNELS } from '../support/posts.ts';

/** The pictures after the first one: old programs send them as they read them, in `extra_media`. */

const picture = (name: string) => `https://images.example/${name}.png`;

const FIRST: [string, string] = ['media[photo]', picture('first')];
const SECOND: [string, string] = ['extra_media[0][photo]', picture('second')];
const THIRD: [string, string] = ['extra_media[1][picture]', picture('third')];
const SMALL: [string, string] = ['extra_media[1][thumbnail]', picture('small')];
const ALL = [FIRST, SECOND, THIRD, SMALL];

let bakery: Bakery;
let count = 0;
let text: string;

beforeAll(async () => {
  bakery = await openBakery();
});

afterAll(() => bakery.system.stop());

beforeEach(() => {
  count += 1;
  text = `Loaf ${count}`;
});

const pictures = async () =>
  (await bakery.made(text)).map(({ assets }) => assets?.map(({ source }) => source));

const fieldsTo = (channel: string, media: ReadonlyArray<[string, string]>): Array<[string, string]> => [
  ['profile_ids[]', channel],
  ['text', text],
  ...media,
];

const create = (channel: string, media: ReadonlyArray<[string, string]>) =>
  bakery.post('updates/create', fieldsTo(channel, media));

test.each<[string, (fields: Array<[string, string]>) => Pick<RawRequest, 'headers' | 'body'>]>([
  ['a form', (fields) => rawForm(new URLSearchParams(fields).toString())],
  ['a multipart body', (fields) => multipart(Object.fromEntries(fields))],
  [
    'JSON',
    () =>
      json({
        profile_ids: [CHANNELS.twitter],
        text,
        media: { photo: picture('first') },
        extra_media: [
          { photo: picture('second') },
          { picture: picture('third'), thumbnail: picture('small') },
        ],
      }),
  ],
])('%s brings all pictures in their order', async (_kind, bodyOf) => {
  const sent = bodyOf(fieldsTo(CHANNELS.twitter, ALL));
  const answer = await sendRaw(bakery.system.bridgeUrl, {
    method: 'POST',
    path: '/1/updates/create.json',
    ...sent,
    headers: { ...sent.headers, authorization: `Bearer ${bakery.token}` },
  });
  expect(answer.json).toMatchObject({
    message: 'The update was added to the queue.',
    updates: [
      {
        media: { picture: picture('first') },
        extra_media: [{ photo: picture('second') }, { photo: picture('third') }],
      },
    ],
  });
  expect(await pictures()).toEqual([[picture('first'), picture('second'), picture('third')]]);
});

test('without a first picture they are the pictures of the post', async () => {
  await create(CHANNELS.twitter, [SECOND, THIRD]);
  expect(await pictures()).toEqual([[picture('second'), picture('third')]]);
});

test.each<[string, string, [string, string]]>([
  ['a video', CHANNELS.twitter, ['media[video]', 'https://images.example/a.mp4']],
  ['a link preview', CHANNELS.linkedin, ['media[link]', 'https://bakery.example/']],
])('beside %s they are told as left out', async (_what, channel, main) => {
  const { json: answer } = await create(channel, [main, SECOND, THIRD]);
  expect(answer.message).toMatch(
    /Left out for .*: extra_media\[0\]\[photo\] and 1 more of extra_media, for which the post has no place/,
  );
  expect(answer.updates).toHaveLength(1);
});

test('the picture of a link is none of a tweet, and is told', async () => {
  const { json: answer } = await create(CHANNELS.twitter, [
    ['media[link]', 'https://bakery.example/'],
    ['media[picture]', picture('preview')],
  ]);
  expect(answer.message).toContain(`media[picture] ${picture('preview')}, for which the post has no place`);
  expect(await pictures()).toEqual([[]]);
});

test('no more are sent than a post takes, and the others are told', async () => {
  const many = Array.from({ length: 21 }, (_, n): [string, string] => [
    `extra_media[${n}][photo]`,
    picture(`of-${n}-`),
  ]);
  const { json: answer } = await create(CHANNELS.twitter, [FIRST, ...many]);
  expect(answer.message).toContain('extra_media[19][photo] and 1 more of extra_media');
  expect((await pictures())[0]).toHaveLength(20);
});

test('an update brings them too, and tells what it leaves out', async () => {
  const id = (await create(CHANNELS.twitter, [FIRST])).json.updates?.[0]?.id;
  const { json: answer } = await bakery.post(`updates/${id}/update`, [
    ['text', text],
    ...ALL,
    ['extra_media[1][alt]', 'A loaf'],
  ]);
  expect(answer.message).toBe(
    'The update was changed. Left out: extra_media[1][alt], which is no parameter of an update.',
  );
  expect(await pictures()).toEqual([[picture('first'), picture('second'), picture('third')]]);
});

const CLIP = { video: { url: 'https://images.example/a.mp4' } };
const image = (name: string) => ({ image: { url: picture(name) } });
const WORDED = { image: { url: picture('first'), metadata: { altText: 'A loaf' } } };
const OLD_LINK = { metadata: { linkedin: { linkAttachment: { url: 'https://bakery.example/' } } } };
const LINK: [string, string] = ['media[link]', 'https://bakery.example/new'];
const FIRST_STAYS = 'a change of the first picture, because the call has no media[photo]';
const NO_PLACE = 'extra_media[0][photo], for which the post has no place beside its other media';
const REPLACED = 'the further media that the update had and the call does not name';
const EXCLUDED = 'the media that the update had, for which its link leaves no place';

test.each<[string, string, object, Array<[string, string]>, string[], string | undefined]>([
  ['further pictures', 'twitter', { assets: [WORDED] }, [SECOND], ['first.png', 'second.png'], FIRST_STAYS],
  [
    'a thumbnail and further pictures that stand already',
    'twitter',
    { assets: [WORDED, image('second')] },
    [SECOND, ['media[thumbnail]', picture('third')]],
    ['first.png', 'second.png'],
    `media[thumbnail] ${picture('third')}, for which the post has no place beside its other media`,
  ],
  [
    'other further pictures',
    'twitter',
    { assets: [WORDED, image('old')] },
    [SECOND],
    ['first.png', 'second.png'],
    `${FIRST_STAYS}. Left out: ${REPLACED}`,
  ],
  [
    'further pictures and a link of the text',
    'twitter',
    { assets: [WORDED] },
    [['text', `Loaf ${LINK[1]}`], LINK, SECOND],
    ['first.png', 'second.png'],
    FIRST_STAYS,
  ],
  [
    'all pictures as further ones',
    'twitter',
    { assets: [image('second'), image('old')] },
    [SECOND, THIRD],
    ['second.png', 'third.png'],
    REPLACED,
  ],
  [
    'further pictures beside a video and a picture',
    'twitter',
    { assets: [CLIP, image('second')] },
    [SECOND, THIRD],
    ['a.mp4', 'second.png', 'third.png'],
    undefined,
  ],
  ['further pictures beside a video', 'twitter', { assets: [CLIP] }, [SECOND], ['a.mp4'], NO_PLACE],
  ['further pictures beside a link', 'linkedin', OLD_LINK, [SECOND], [], NO_PLACE],
  ['a link in the place of pictures', 'linkedin', { assets: [WORDED, image('old')] }, [LINK], [], EXCLUDED],
  ['a link in the place of a link', 'linkedin', OLD_LINK, [LINK], [], undefined],
])('an update with %s deletes nothing without a word', async (_what, channel, input, media, names, lost) => {
  const channelId = channel === 'linkedin' ? CHANNELS.linkedin : CHANNELS.twitter;
  const { id, metadata } = await madePast(bakery, { channelId, text, ...input });
  const texts: Array<[string, string]> = media.some(([name]) => name === 'text') ? [] : [['text', text]];
  const { json: answer } = await bakery.post(`updates/${id}/update`, [...texts, ...media]);
  expect(answer.message).toBe(`The update was changed.${lost === undefined ? '' : ` Left out: ${lost}.`}`);
  const shown = await shownPast(bakery, id);
  const sources = shown.assets.map((one) => (one as { source: string }).source);
  expect(sources).toEqual(names.map((name) => `https://images.example/${name}`));
  if (names[0] === 'first.png') expect(shown.assets[0]).toMatchObject({ image: { altText: 'A loaf' } });
  if (!media.includes(LINK)) expect(shown.metadata).toEqual(metadata);
});

test.each([
  ['not a list of maps', [['extra_media[0]', picture('second')]]],
  ['no address', [['extra_media[0][photo]', 'second.png']]],
  ['two values of one', [SECOND, ['extra_media[0][photo]', picture('third')]]],
  ['too many', Array.from({ length: 51 }, (_, n) => [`extra_media[${n}][photo]`, picture(`${n}`)])],
] as Array<[string, Array<[string, string]>]>)('%s is refused', async (_why, media) => {
  const answer = await create(CHANNELS.twitter, media);
  expect([answer.status, answer.json.code, answer.json.error]).toEqual([
    400,
    1006,
    expect.stringContaining('extra_media'),
  ]);
  expect(await bakery.made(text)).toEqual([]);
});

test('a file is refused as one under media is', async () => {
  const head = 'Content-Disposition: form-data; name="extra_media[0][photo]"; filename="a.png"';
  const answer = await sendRaw(bakery.system.bridgeUrl, {
    method: 'POST',
    path: `/1/updates/create.json?profile_ids[]=${CHANNELS.twitter}&text=${encodeURIComponent(text)}`,
    headers: {
      authorization: `Bearer ${bakery.token}`,
      'content-type': 'multipart/form-data; boundary=b',
    },
    body: `--b\r\n${head}\r\n\r\nx\r\n--b--\r\n`,
  });
  expect([answer.status, answer.json]).toMatchObject([400, { code: 1031 }]);
});
