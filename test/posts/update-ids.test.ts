import { newHexId } from '../../src/shared/ids.ts';
import { expectRefusal } from '../endpoints/support/expectations.ts';
import { CHANNEL, connectReader, idsOf, isoIn, type Listed, TWITTER } from './support/reader.ts';
import {
  account,
  answeredBy,
  clock,
  DAY,
  door,
  durable,
  get,
  learn,
  makePost,
  makeQueued,
  oldOf,
  pendingIds,
  post,
  reader,
  untilLearned,
  writes,
  withTwoGenerations,
} from './support/two-generations.ts';

/** By which ids an app reaches the updates that the old API told it, once the new API answers. */

withTwoGenerations();

const destroy = (id: string) => post(`updates/${id}/destroy.json`);

const timed = async () => ({ ...(await makePost()), channelId: CHANNEL });

describe('where the new API has other ids', () => {
  test('an update of a list is the same update by the same id, at the price of one more request once', async () => {
    const real = await makePost();
    const shown = oldOf(real);
    await learn(shown);
    await answeredBy('new');
    await reader.get('/1/profiles.json');
    expect(await reader.asked(() => get(shown.id))).toEqual(['post', 'posts']);
    const { status, json } = await get(shown.id);
    expect([status, json]).toMatchObject([200, { id: shown.id, _id: shown.id, text: real.text }]);
    expect(await reader.asked(() => get(shown.id))).toEqual([]);
    clock.advance(61_000);
    expect(await reader.asked(() => get(shown.id))).toEqual(['post']);
    expect((await get(real.id)).json).toMatchObject({ id: shown.id });
  });

  test('a list tells the ids that the old API told, whoever asked by which id before', async () => {
    const [first, second, third] = [await makePost(), await makePost(), await makePost()];
    const shown = [oldOf(first), oldOf(second)];
    await learn(...shown);
    await answeredBy('new');
    const ids = await pendingIds();
    expect(ids).toEqual(expect.arrayContaining([...shown.map(({ id }) => id), third.id]));
    expect(ids).not.toContain(first.id);
    expect(await reader.asked(() => get(shown[0]!.id))).toEqual(['post']);
  });

  test.each([
    ['update', { text: 'Another text' }, ['editPost', 'editPost'], timed],
    ['share', {}, ['editPost', 'editPost'], timed],
    // The reading before the move finds no post by the old id, so nothing is sent by it.
    ['move_to_top', {}, ['movePostInQueue'], makeQueued],
  ] as const)('%s by the old id reaches the post, once', async (call, fields, asked, make) => {
    const real = await make();
    const shown = oldOf(real, undefined, real.channelId);
    await learn(shown);
    await answeredBy('new');
    let answer: Awaited<ReturnType<typeof post>> | undefined;
    expect(
      await writes(async () => (answer = await post(`updates/${shown.id}/${call}.json`, fields))),
    ).toEqual(asked);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer?.text).not.toContain(real.id);
    const rows = await durable()
      .selectFrom('post_writes')
      .select(['state', 'post_id'])
      .where('post_id', 'in', [shown.id, real.id])
      .orderBy('sent_at')
      .orderBy('id')
      .execute();
    const refused = { state: 'refused', post_id: shown.id };
    expect(rows).toEqual([...asked.slice(1).map(() => refused), { state: 'done', post_id: real.id }]);
  });

  test('destroy by the old id reaches the post once an answer has shown it by that id, and none before', async () => {
    const [first, second] = [await makePost(), await makePost()];
    const shown = [oldOf(first), oldOf(second)] as const;
    await learn(...shown);
    await answeredBy('new');
    expectRefusal(await destroy(shown[0].id), 404, 1020);
    expect((await get(shown[0].id)).status).toBe(200);
    expect(await pendingIds()).toContain(shown[1].id);
    for (const { id } of shown) {
      expect(await writes(async () => expect((await destroy(id)).status).toBe(200))).toEqual(['deletePost']);
      expectRefusal(await get(id), 404, 1020);
    }
  });

  test('a pair stays when the post changes, and a write by it costs one request', async () => {
    const real = await makePost();
    const shown = oldOf(real);
    await learn(shown);
    await answeredBy('new');
    await get(shown.id);
    const path = `updates/${shown.id}/update.json`;
    const change = () => post(path, { text: 'New words', scheduled_at: isoIn(300 * DAY) });
    expect(await writes(change)).toEqual(['editPost']);
    expect((await get(shown.id)).json).toMatchObject({ id: shown.id, text: 'New words' });
  });

  test('a text that was posted to two profiles for the same time is told by its old id in each', async () => {
    const one = await makePost();
    const other = await makePost({ text: one.text, dueAt: one.dueAt, channelId: TWITTER });
    const shown = [oldOf(one), oldOf(other, undefined, TWITTER)] as const;
    await learn(...shown);
    await answeredBy('new');
    expect(await pendingIds()).toContain(shown[0].id);
    expect(idsOf(await reader.list('pending.json?count=100', TWITTER))).toContain(shown[1].id);
    for (const [{ id }, profileId] of [
      [shown[0], CHANNEL],
      [shown[1], TWITTER],
    ] as const)
      expect((await get(id)).json).toMatchObject({ id, profile_id: profileId });
  });

  test('what a create of the old API made is known by its id', async () => {
    const real = await makePost();
    const shown = oldOf(real);
    account.next = shown;
    const answer = await post('updates/create.json', { 'profile_ids[]': CHANNEL, text: real.text });
    delete account.next;
    expect(answer).toMatchObject({ status: 200, json: { updates: [{ id: shown.id }] } });
    await untilLearned(shown);
    await answeredBy('new');
    expect((await get(shown.id)).json).toMatchObject({ id: shown.id, text: real.text });
  });

  test('the profile may have another id too', async () => {
    const profileId = newHexId();
    const real = await makePost();
    const shown = oldOf(real, undefined, profileId);
    await durable()
      .insertInto('id_pairs')
      .values({
        kind: 'profile',
        legacy_id: profileId,
        modern_id: CHANNEL,
        source: 'imported',
        created_at: 0,
      })
      .execute();
    await learn(shown);
    await answeredBy('new');
    expect((await get(shown.id)).json).toMatchObject({ id: shown.id, text: real.text });
    await durable().deleteFrom('id_pairs').where('legacy_id', '=', profileId).execute();
  });

  test('an id that the new API told first stays, and the old one is understood too', async () => {
    const real = await makePost();
    await answeredBy('new');
    expect(await pendingIds()).toContain(real.id);
    await answeredBy('old');
    const shown = oldOf(real);
    await learn(shown);
    await answeredBy('new');
    expect(await pendingIds()).toContain(real.id);
    expect((await get(shown.id)).json).toMatchObject({ id: real.id, text: real.text });
  });

  test.each([
    ['as it is known', true],
    ['as the queue shows it', false],
  ])('an order names a post by the old id too where the new one was told first, %s', async (_how, isRead) => {
    const real = await makePost();
    await answeredBy('new');
    const place = (await pendingIds()).indexOf(real.id);
    await answeredBy('old');
    const shown = oldOf(real);
    await learn(shown);
    await answeredBy('new');
    if (isRead) await get(shown.id);
    const order = { 'order[]': shown.id, offset: String(place) };
    const { status, json } = await post(`profiles/${CHANNEL}/updates/reorder.json`, order);
    expect(status).toBe(200);
    expect(idsOf(json as Listed)[place]).toBe(real.id);
  });

  test.each([
    [
      'an update of another profile',
      async () => oldOf(await makePost({ channelId: TWITTER }), undefined, TWITTER),
    ],
    ['an update with another text', async () => oldOf({ ...(await makePost()), text: 'Not in the queue' })],
  ])('an order does not take %s for a post of the queue', async (_what, show) => {
    const shown = await show();
    await learn(shown);
    await answeredBy('new');
    const order = { 'order[]': shown.id };
    expectRefusal(await post(`profiles/${CHANNEL}/updates/reorder.json`, order), 404, 1020);
  });

  test('another app of the account, told the new id before, is told it further', async () => {
    const real = await makePost();
    const other = await connectReader(door, await door.addApp());
    expect(idsOf(await other.list('pending.json?count=100'))).toContain(real.id);
    const shown = oldOf(real);
    await learn(shown);
    await answeredBy('new');
    expect(await pendingIds()).toContain(shown.id);
    expect(idsOf(await other.list('pending.json?count=100'))).toContain(real.id);
  });
});

describe('where both have the same ids', () => {
  test('an update costs what it costs anyway, and is told by its id', async () => {
    const real = await makePost();
    await learn(oldOf(real, real.id));
    await answeredBy('new');
    await reader.get('/1/profiles.json');
    expect(await reader.asked(() => get(real.id))).toEqual(['post']);
    expect((await get(real.id)).json).toMatchObject({ id: real.id, text: real.text });
    expect(await pendingIds()).toContain(real.id);
    const path = `updates/${real.id}/destroy.json`;
    expect(await writes(() => post(path))).toEqual(['deletePost']);
    expectRefusal(await get(real.id), 404, 1020);
    expect((await post(path)).status).toBe(404);
  });

  test('a second delete never reaches a post that says the same at the same time', async () => {
    const real = await makePost();
    const twin = await makePost({ text: real.text, dueAt: real.dueAt });
    await learn(oldOf(real, real.id));
    await answeredBy('new');
    const path = `updates/${real.id}/destroy.json`;
    expect((await post(path)).status).toBe(200);
    expectRefusal(await post(path), 404, 1020);
    expect((await get(twin.id)).status).toBe(200);
  });
});
