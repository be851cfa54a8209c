import { json, multipart, type RawRequest, sendRaw } from '../../support/callers/raw-request.ts';
import { type Bakery, openBakery } from '../support/bakery.ts';
import { type Ordering, orderingOf, pick, told } from '../support/ordering.ts';
import { runningQueue } from '../support/queue.ts';

/** POST profiles/:id/updates/reorder of the old API, where it does what it is asked for. */

let bakery: Bakery;
let ordering: Ordering;

beforeAll(async () => {
  bakery = await openBakery();
});

afterAll(() => bakery.system.stop());

beforeEach(() => {
  ordering = orderingOf(bakery);
});

afterEach(() => bakery.mend());

async function pending(): Promise<string[]> {
  const path = `/1/profiles/${ordering.queue.channelId}/updates/pending.json?count=100`;
  const headers = { authorization: `Bearer ${bakery.token}` };
  const answer = await sendRaw(bakery.system.bridgeUrl, { path, headers });
  return (answer.json as { updates: Array<{ id: string }> }).updates.map(({ id }) => id);
}

describe('a reorder', () => {
  test('puts the updates into the order that was asked for, and answers with them', async () => {
    const ids = await ordering.fill(5);
    await pending();
    const wanted = pick(ids, '42130');
    const answer = await ordering.reorder(wanted);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json)).toEqual(['success', 'message', 'updates']);
    expect(answer.json.success).toBe(true);
    expect(answer.json.message).toMatch(/^The updates were reordered\. The queue of the profile is paused/);
    expect(told(answer)).toEqual(wanted);
    expect(await ordering.queue.order()).toEqual(wanted);
    expect(await pending()).toEqual(wanted);
    for (const row of await ordering.newRows())
      expect(row).toMatchObject({ call: 'reorder', state: 'done', channel_id: ordering.queue.channelId });
  });

  test('answers with whole updates, in the zone of the profile or in UTC', async () => {
    const ids = await ordering.fill(2);
    const local = await ordering.reorder(ids);
    const utc = await ordering.reorder(ids, [['utc', 'true']]);
    expect(local.json.updates?.[0]).toMatchObject({
      id: ids[0],
      _id: ids[0],
      status: 'buffer',
      profile_id: ordering.queue.channelId,
      profile_service: 'mastodon',
      text: 'Post 0',
      due_at: expect.any(Number),
    });
    const dueAt = Number(utc.json.updates?.[0]?.['due_at']) * 1000;
    const minute = new Date(dueAt).toISOString().slice(14, 16);
    expect(utc.json.updates?.[0]?.['due_time']).toMatch(new RegExp(`^\\d{1,2}:${minute} [ap]m$`));
  });

  test.each([
    ['the order that is there', 5, '01234', 0, 0],
    ['the last one first', 5, '4', 0, 1],
    ['the first one last', 5, '0', 4, 1],
    ['two in the middle', 5, '21', 1, 2],
    ['the whole order turned', 5, '43210', 0, 4],
  ])(
    'of %s costs its moves, and a reading before and behind them',
    async (_what, count, places, offset, moves) => {
      const ids = await ordering.fill(count);
      const answer = await ordering.reorder(pick(ids, places), [['offset', String(offset)]]);
      expect(answer.json.success).toBe(true);
      expect(ordering.requests()).toBe(moves === 0 ? 1 : moves + 2);
      expect(await ordering.newRows()).toHaveLength(moves);
      const order = await ordering.queue.order();
      expect(order.slice(offset, offset + places.length)).toEqual(pick(ids, places));
      expect(told(answer)).toEqual(order);
    },
  );

  test.each<[string, (ids: string[]) => Partial<RawRequest>]>([
    ['a JSON body', (ids) => json({ order: ids, offset: 0, utc: true })],
    ['a multipart body', (ids) => multipart({ order: ids.join(), offset: '0' })],
    [
      'places in the address',
      (ids) => ({ path: `?${ids.map((id, place) => `order[${place}]=${id}`).join('&')}` }),
    ],
  ])('takes %s', async (_, requestOf) => {
    const wanted = pick(await ordering.fill(3), '201');
    const { path = '', headers, body } = requestOf(wanted);
    const answer = await sendRaw(bakery.system.bridgeUrl, {
      method: 'POST',
      path: `/1/profiles/${ordering.queue.channelId}/updates/reorder.json${path}`,
      ...(body && { body }),
      headers: { ...headers, authorization: `Bearer ${bakery.token}` },
    });
    expect([answer.status, answer.json]).toMatchObject([200, { success: true }]);
    expect(await ordering.queue.order()).toEqual(wanted);
  });

  test('makes twenty moves at most, and refuses more before the first', async () => {
    ordering.queue = await runningQueue(bakery);
    const ids = await ordering.fill(22);
    const refused = await ordering.reorder(ids.toReversed());
    expect([refused.status, refused.json.code, refused.json.success]).toEqual([400, 1006, false]);
    expect(refused.json.error).toMatch(/^The parameter order needs 21 moves, and a call makes 20 at most/);
    expect([await ordering.newRows(), await ordering.queue.order()]).toEqual([[], ids]);
    const wanted = [...ids.slice(0, 20).toReversed(), ...ids.slice(20)];
    const answer = await ordering.reorder(wanted);
    expect([answer.status, await ordering.queue.order()]).toEqual([200, wanted]);
    expect((await ordering.newRows()).length).toBeLessThanOrEqual(20);
  });

  test('leaves an update that has a time of its own where it is', async () => {
    const ids = await ordering.fill(3);
    const dueAt = new Date(Date.now() + 600 * 86_400_000).toISOString();
    const own = await ordering.queue.add({ mode: 'customScheduled', dueAt });
    const refused = await ordering.reorder([own, ...ids]);
    expect([refused.status, refused.json.code]).toEqual([400, 1006]);
    expect(refused.json.error).toMatch(/order moves an update that keeps its place/);
    const wanted = [...pick(ids, '210'), own];
    const answer = await ordering.reorder(wanted);
    expect([answer.json.success, told(answer)]).toEqual([true, wanted]);
    const [post] = answer.json.updates?.slice(-1) ?? [];
    expect(post).toMatchObject({ id: own, due_at: Math.floor(Date.parse(dueAt) / 1000) });
  });

  test('names updates by the ids that the old API told, and answers with them', async () => {
    const [first = '', second = ''] = await ordering.fill(2);
    const { durable } = bakery.system.bridge.context.store;
    const [row] = await bakery.rows();
    const old = 'c'.repeat(24);
    await durable
      .insertInto('learned_updates')
      .values({
        id: `${row?.account_id} ${old}`,
        account_id: row?.account_id ?? '',
        old_id: old,
        profile_id: ordering.queue.channelId,
        text_digest: 'of another text',
        due_at: 0,
        post_id: second,
        seen_at: Date.now(),
      })
      .execute();
    const answer = await ordering.reorder([old, first]);
    expect([answer.status, told(answer)]).toEqual([200, [old, first]]);
    expect(await ordering.queue.order()).toEqual([second, first]);
    expect((await ordering.reorder([old, second])).status).toBe(400);
  });

  test('of a queue that runs says nothing of a pause', async () => {
    ordering.queue = await runningQueue(bakery);
    const answer = await ordering.reorder(await ordering.fill(1));
    expect([answer.status, answer.json.message]).toEqual([200, 'The updates were reordered.']);
  });
});
