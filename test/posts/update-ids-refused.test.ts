import { newHexId } from '../../src/shared/ids.ts';
import { connectApp } from '../endpoints/support/connected.ts';
import { expectRefusal } from '../endpoints/support/expectations.ts';
import { knock } from '../endpoints/support/knock.ts';
import { giveToAccount } from '../support/callers/other-account.ts';
import { testInProcess } from '../support/jest/test-mode.ts';
import { isWrite } from './support/bakery.ts';
import { CHANNEL, isoIn, TWITTER } from './support/reader.ts';
import {
  answeredBy,
  clock,
  DAY,
  door,
  durable,
  get,
  learn,
  makePost,
  oldOf,
  pendingIds,
  post,
  reader,
  withTwoGenerations,
} from './support/two-generations.ts';

/** An id of the old API that leads to no post for sure is the recorded 404. */

withTwoGenerations();

const notFound = async (id: string) => {
  expectRefusal(await get(id), 404, 1020);
  expectRefusal(await post(`updates/${id}/destroy.json`), 404, 1020);
};

test('of another account, whatever its id', async () => {
  const real = await makePost();
  const shown = oldOf(real);
  await learn(shown);
  await answeredBy('new');
  const app = await door.addApp();
  const other = await connectApp(door, app);
  await giveToAccount(door, app, newHexId());
  const headers = { authorization: `Bearer ${other.token}` };
  const asked = await reader.asked(async () => {
    expectRefusal(await knock(door, { path: `/1/updates/${shown.id}.json`, headers }), 404, 1020);
    expectRefusal(await post(`updates/${shown.id}/destroy.json`, {}, other), 404, 1020);
  });
  expect(asked).not.toContain('posts');
  expect((await get(shown.id)).status).toBe(200);
});

test('in another channel, with the same text and time', async () => {
  const real = await makePost({ channelId: TWITTER });
  const shown = oldOf(real, undefined, CHANNEL);
  await learn(shown);
  await answeredBy('new');
  await notFound(shown.id);
  expect(await pendingIds()).not.toContain(shown.id);
});

test('in a channel that the account does not reach', async () => {
  const shown = oldOf(await makePost(), undefined, newHexId());
  await learn(shown);
  await answeredBy('new');
  await notFound(shown.id);
});

test.each([
  ['another text', { text: 'Other words' }],
  ['another time', { dueAt: isoIn(200 * DAY) }],
])('with %s', async (_what, change) => {
  const shown = oldOf({ ...(await makePost()), ...change });
  await learn(shown);
  await answeredBy('new');
  await notFound(shown.id);
});

testInProcess('and is not looked for at every call', async () => {
  const shown = oldOf({ ...(await makePost()), text: 'Never said' });
  await learn(shown);
  await answeredBy('new');
  await reader.get('/1/profiles.json');
  expect(await reader.asked(() => get(shown.id))).toEqual(['post', 'posts']);
  expect(await reader.asked(() => get(shown.id))).toEqual(['post']);
});

test('where two posts, or two updates, cannot be told apart', async () => {
  const real = await makePost();
  const twin = await makePost({ text: real.text, dueAt: real.dueAt });
  const shown = [oldOf(real), oldOf(twin)];
  await learn(...shown);
  const single = await makePost();
  const doubles = [oldOf(single), oldOf(single)];
  await learn(...doubles);
  await answeredBy('new');
  for (const { id } of [...shown, ...doubles]) await notFound(id);
  expect(await pendingIds()).toEqual(expect.arrayContaining([real.id, twin.id, single.id]));
});

test('where the post was made after the old API showed the update', async () => {
  const dueAt = isoIn(250 * DAY);
  const shown = oldOf({ id: '', text: 'Said once before', dueAt });
  await learn(shown);
  await durable()
    .updateTable('learned_updates')
    .set({ seen_at: Date.now() - 60_000 })
    .execute();
  await makePost({ text: 'Said once before', dueAt });
  await answeredBy('new');
  await notFound(shown.id);
});

test('an order that names an update which is gone from the buffer is refused by the id that the app sent', async () => {
  const real = await makePost();
  const shown = oldOf(real);
  await learn(shown);
  await answeredBy('new');
  await get(shown.id);
  expect((await post(`updates/${shown.id}/share.json`)).status).toBe(200);
  const answer = await post(`profiles/${CHANNEL}/updates/reorder.json`, { 'order[]': shown.id });
  expectRefusal(answer, 404, 1020);
  expect(answer.json).toMatchObject({ error: expect.stringContaining(`names the update ${shown.id}`) });
});

test('an id that is none costs nothing', async () => {
  await answeredBy('new');
  const asked = await reader.asked(async () => {
    for (const id of ['x', '%00', 'f'.repeat(23), 'F'.repeat(400)])
      expect((await get(id)).status).toBeGreaterThanOrEqual(400);
  });
  expect(asked).toEqual([]);
});

test('a change that the new API asks to wait with after its first try says when to come again', async () => {
  const shown = oldOf(await makePost());
  await learn(shown);
  await answeredBy('new');
  await reader.get('/1/profiles.json');
  door.proxy.onOtherAnswer = (call, answer) => {
    if (!isWrite(call)) return answer;
    const headers = {
      ratelimit: '"100-in-15min";r=0;t=300',
      'ratelimit-policy': '"100-in-15min";q=100;w=900',
    };
    return { ...answer, headers: { ...answer.headers, ...headers } };
  };
  const sent = door.proxy.readings().length;
  const answer = await post(`updates/${shown.id}/share.json`);
  door.proxy.onOtherAnswer = undefined;
  expectRefusal(answer, 429, 429);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(door.proxy.readings()).toHaveLength(sent + 1);
  clock.advance(16 * 60_000);
  expect((await post(`updates/${shown.id}/share.json`)).status).toBe(200);
});
