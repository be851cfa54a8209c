import { type Bakery, openBakery } from '../support/bakery.ts';
import { CHANNELS } from '../support/posts.ts';

/** A known parameter in a form that has no place: a post is made without it. */

let bakery: Bakery;

beforeAll(async () => {
  bakery = await openBakery();
});

afterAll(() => bakery.system.stop());

const PICTURE = 'https://images.example/rye.png';

const TWITTER: [string, string] = ['profile_ids[]', CHANNELS.twitter];

test('a plain text for media is left out, and told', async () => {
  const made = await bakery.post('updates/create', [TWITTER, ['text', 'Rye'], ['media', PICTURE]]);
  const words = 'media, which has to be a map, such as media[link].';
  expect(made.json.message).toMatch(/^The update was added to the queue\. Left out for /);
  expect(made.json.message?.endsWith(`: ${words}`)).toBe(true);
  expect(await bakery.made('Rye')).toMatchObject([{ assets: [] }]);
  const id = made.json.updates?.[0]?.id ?? '';
  const changed = await bakery.post(`updates/${id}/update`, [
    ['text', 'Dark rye'],
    ['media', PICTURE],
  ]);
  expect(changed.json.message).toBe(`The update was changed. Left out: ${words}`);
});

test('a plain text for media alone makes no post', async () => {
  const { status, json: answer } = await bakery.post('updates/create', [TWITTER, ['media', PICTURE]]);
  expect([status, answer.code]).toEqual([400, 1004]);
});
