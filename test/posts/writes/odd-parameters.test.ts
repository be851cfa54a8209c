import { type Bakery, openBakery, withScope } from '../support/bakery.ts';
import { CHANNELS } from '../support/posts.ts';

/** A known parameter in a form that has no place, an empty one, and an update by its other address. */

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

/** A post of a channel; its id. */
async function newPost(...more: Array<[string, string]>): Promise<string> {
  const { json } = await bakery.post('updates/create', [TWITTER, ['text', 'Rye'], ...more]);
  return json.updates?.[0]?.id ?? '';
}

/** Changes the text with an empty scheduled_at. */
const change = (id: string, ...more: Array<[string, string]>) =>
  bakery.post(`updates/${id}/update`, [['text', 'Dark rye'], ['scheduled_at', ''], ...more]);

const tomorrow = () => String(Math.floor(Date.now() / 1000) + 86_400);

test('an empty scheduled_at takes a post out of a time of its own, and its queue tells its time', async () => {
  const at = tomorrow();
  const answer = await change(await newPost(['scheduled_at', at]));
  expect([answer.status, answer.json.message]).toEqual([200, 'The update was changed.']);
  expect(answer.json.update).toMatchObject({ text: 'Dark rye', status: 'buffer' });
  expect(answer.json.update).not.toHaveProperty('scheduled_at');
  expect(answer.json.update).not.toMatchObject({ due_at: Number(at) });
});

test('an empty scheduled_at leaves a post of the queue in its place', async () => {
  const id = await newPost();
  await newPost();
  const posts = async (text: string) => (await bakery.made(text)).filter((post) => post.id === id);
  const [before] = await posts('Rye');
  await change(id);
  expect(await posts('Dark rye')).toEqual([{ ...before, text: 'Dark rye' }]);
});

test('an empty scheduled_at leaves a draft a draft', async () => {
  const answer = await change(await newPost(['scheduled_at', tomorrow()], ['is_draft', 'true']));
  expect(answer.json.update).toMatchObject({ text: 'Dark rye', status: 'draft' });
});

test('an empty scheduled_at beside now shares a post', async () => {
  const answer = await change(await newPost(['scheduled_at', tomorrow()]), ['now', '1']);
  expect(answer.json.update).toMatchObject({ status: 'sent' });
});

test('an empty scheduled_at is told as left out where the connection may not read posts', async () => {
  const at = tomorrow();
  const id = await newPost(['scheduled_at', at]);
  const answer = await withScope(bakery.system, 'account:read posts:write offline_access', () => change(id));
  expect(answer.json.message).toBe(
    'The update was changed. Left out: the empty scheduled_at, for this connection may not read the update.',
  );
  expect(answer.json.update).toMatchObject({ text: 'Dark rye', scheduled_at: Number(at) });
});

test('an update whose id stands at the end of its address is the same call', async () => {
  const id = await newPost();
  const answer = await bakery.post(`updates/update/${id}`, [['text', 'White rye']]);
  expect([answer.status, answer.json.update]).toMatchObject([200, { id, text: 'White rye' }]);
});
