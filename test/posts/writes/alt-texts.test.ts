import { type Bakery, openBakery } from '../support/bakery.ts';
import { madePast, shownPast } from '../support/past-the-bridge.ts';
import { CHANNELS } from '../support/posts.ts';

/** The alternative texts of pictures: `media[alt_text]` and `extra_media[0][alt_text]`. */

const address = (name: string) => `https://images.example/${name}.png`;

type Fields = ReadonlyArray<[string, string]>;

const FIRST: [string, string] = ['media[photo]', address('first')];
const SECOND: [string, string] = ['extra_media[0][photo]', address('second')];
const SAID: [string, string] = ['media[alt_text]', 'A loaf'];
const SAID_TOO: [string, string] = ['extra_media[0][alt_text]', 'A roll'];

let bakery: Bakery;
let count = 0;
let text: string;

beforeAll(async () => {
  bakery = await openBakery();
});

afterAll(() => bakery.system.stop());

beforeEach(() => {
  count += 1;
  text = `Alt ${count}`;
});

const create = (channel: string, media: Fields) =>
  bakery.post('updates/create', [['profile_ids[]', channel], ['text', text], ...media]);

const change = (id: string, media: Fields) => bakery.post(`updates/${id}/update`, [['text', text], ...media]);

const image = (name: string, altText: string) => ({
  type: 'image',
  source: address(name),
  image: expect.objectContaining({ altText }),
});

const assetsOf = async (id: string) => (await shownPast(bakery, id)).assets;

async function madeWithTwo(): Promise<string> {
  const { json } = await create(CHANNELS.twitter, [FIRST, SECOND, SAID, SAID_TOO]);
  expect(json.message).toBe('The update was added to the queue.');
  return json.updates?.[0]?.id ?? '';
}

test('each picture has its own', async () => {
  const id = await madeWithTwo();
  expect(await assetsOf(id)).toEqual([image('first', 'A loaf'), image('second', 'A roll')]);
});

test.each<[string, Fields, object[]]>([
  ['that names no pictures', [], [image('first', 'A loaf'), image('second', 'A roll')]],
  ['that sends back a picture', [FIRST], [image('first', 'A loaf'), image('second', 'A roll')]],
  [
    'that says another text of one',
    [FIRST, ['media[alt_text]', 'Bread']],
    [image('first', 'Bread'), image('second', 'A roll')],
  ],
  [
    'that says another text of the further one',
    [SECOND, ['extra_media[0][alt_text]', 'Bread']],
    [image('first', 'A loaf'), image('second', 'Bread')],
  ],
  [
    'that brings a third picture',
    [FIRST, SECOND, ['extra_media[1][photo]', address('third')], ['extra_media[1][alt_text]', 'A bun']],
    [image('first', 'A loaf'), image('second', 'A roll'), image('third', 'A bun')],
  ],
  [
    'that puts the second picture first',
    [['media[photo]', address('second')], ['extra_media[0][photo]', address('first')], SAID_TOO],
    [image('second', 'A roll'), image('first', 'A roll')],
  ],
])('an edit %s leaves the others as they are', async (_what, media, assets) => {
  const id = await madeWithTwo();
  expect((await change(id, media)).json.message).toBe('The update was changed.');
  expect(await assetsOf(id)).toEqual(assets);
});

test('another text of a picture leaves the people in it, a video and a document', async () => {
  const userTags = [{ handle: 'baker', x: 0.5, y: 0.5 }];
  const metadata = { altText: 'A loaf', userTags };
  const video = { url: 'https://images.example/a.mp4', metadata: { title: 'Clip' } };
  const document = { url: 'https://images.example/a.pdf', title: 'Recipe', thumbnailUrl: address('pdf') };
  const assets = [{ image: { url: address('first'), metadata } }, { video }, { document }];
  const { id } = await madePast(bakery, { channelId: CHANNELS.linkedin, text, assets });
  expect((await change(id, [FIRST, ['media[alt_text]', 'Bread']])).json.message).toBe(
    'The update was changed.',
  );
  expect(await assetsOf(id)).toMatchObject([
    { image: { altText: 'Bread', userTags: [{ handle: 'baker' }] } },
    { video: { title: 'Clip' } },
    { document: { title: 'Recipe' } },
  ]);
});

test('another text or another picture beside it leaves the moving thumbnail of a GIF', async () => {
  const gif = 'https://images.example/loaf.gif';
  const metadata = { altText: '', animatedThumbnail: 'https://images.example/small.gif' };
  const assets = [{ image: { url: gif, metadata } }];
  const { id } = await madePast(bakery, { channelId: CHANNELS.twitter, text, assets });
  const own: [string, string] = ['media[photo]', gif];
  await change(id, [own, ['media[alt_text]', 'A loaf']]);
  expect(await assetsOf(id)).toMatchObject([{ image: { ...metadata, altText: 'A loaf' } }]);
  await change(id, [own, SECOND]);
  expect(await assetsOf(id)).toMatchObject([
    { image: { ...metadata, altText: 'A loaf' } },
    { source: address('second') },
  ]);
});

test.each<[string, string, Fields, string]>([
  ['a video', CHANNELS.twitter, [['media[video]', 'https://images.example/a.mp4'], SAID], 'media[alt_text]'],
  ['a link', CHANNELS.linkedin, [['media[link]', 'https://bakery.example/'], SAID], 'media[alt_text]'],
  ['no picture', CHANNELS.twitter, [SAID], 'media[alt_text]'],
  ['no further picture', CHANNELS.twitter, [FIRST, SAID, SAID_TOO], 'extra_media[0][alt_text]'],
])('beside %s it is told as left out', async (_what, channel, media, name) => {
  const { json } = await create(channel, media);
  expect(json.message).toContain(`: ${name}, for which the post has no place`);
  expect(json.updates).toHaveLength(1);
});

test('one that is too long is refused with its name', async () => {
  const { status, json } = await create(CHANNELS.twitter, [FIRST, ['media[alt_text]', 'x'.repeat(10_001)]]);
  expect([status, json.code, json.message]).toEqual([400, 1004, expect.stringContaining('media[alt_text]')]);
});
