import { sendRaw } from '../../support/callers/raw-request.ts';
import { type Bakery, openBakery } from '../support/bakery.ts';
import { CHANNELS } from '../support/posts.ts';

/** The links that are no previews: those of pins and Google posts. They are read as they were written. */

const PICTURE = 'https://images.example/loaf.png';
const LINK = 'https://bakery.example/loaf';

const PHOTO: [string, string] = ['media[photo]', PICTURE];
const TITLE: [string, string] = ['media[title]', 'A loaf'];
const TO_LOAF: [string, string] = ['media[link]', LINK];

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

async function read(path: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${bakery.token}` };
  return (await sendRaw(bakery.system.bridgeUrl, { path: `/1/${path}.json`, headers })).json;
}

const createPin = (media: ReadonlyArray<[string, string]>) =>
  bakery.post('updates/create', [
    ['profile_ids[]', CHANNELS.pinterest],
    ['subprofile_ids[]', 'breads'],
    ['text', text],
    ...media,
  ]);

const pinOf = (media: object) => ({ type: 'picture', media: { picture: PICTURE, ...media } });

test('a pin is told with its link and its title: by its writing, its id and its list', async () => {
  const pin = pinOf({ link: LINK, title: 'A loaf' });
  const { json } = await createPin([PHOTO, TITLE, TO_LOAF]);
  expect(json).toMatchObject({ message: 'The update was added to the queue.', updates: [pin] });
  const id = json.updates?.[0]?.id;
  expect(await read(`updates/${id}`)).toMatchObject({ id, ...pin });
  const { updates } = (await read(`profiles/${CHANNELS.pinterest}/updates/pending`)) as { updates: object[] };
  expect(updates).toContainEqual(expect.objectContaining({ id }));
  expect(updates.find((update) => (update as { id: string }).id === id)).toMatchObject(pin);
});

test('a pin takes a title without a link', async () => {
  const { json } = await createPin([PHOTO, TITLE]);
  expect(json).toMatchObject({
    message: 'The update was added to the queue.',
    updates: [pinOf({ title: 'A loaf' })],
  });
  expect(json.updates?.[0]?.['media']).not.toHaveProperty('link');
});

test('another title of a pin leaves its link, and another link its title', async () => {
  const id = (await createPin([PHOTO, TITLE, TO_LOAF])).json.updates?.[0]?.id;
  const change = (media: ReadonlyArray<[string, string]>) =>
    bakery.post(`updates/${id}/update`, [['text', text], ...media]);
  const titled = await change([PHOTO, ['media[title]', 'A rye loaf']]);
  expect(titled.json).toMatchObject({
    message: 'The update was changed.',
    update: pinOf({ link: LINK, title: 'A rye loaf' }),
  });
  const linked = await change([['media[link]', `${LINK}/rye`]]);
  expect(linked.json.update).toMatchObject(pinOf({ link: `${LINK}/rye`, title: 'A rye loaf' }));
});

test('a Google post is told with the link of its button', async () => {
  const { updates } = (await read(`profiles/${CHANNELS.locked}/updates/sent`)) as { updates: object[] };
  const link = 'https://danas-bakery.example/offers';
  expect(updates).toContainEqual(expect.objectContaining({ type: 'link', media: { link } }));
});
