import { sendRaw } from '../../support/callers/raw-request.ts';
import { type Bakery, openBakery, withScope } from '../support/bakery.ts';
import { type Ordering, orderingOf, orderOf } from '../support/ordering.ts';
import { CHANNELS } from '../support/posts.ts';
import { queueOf } from '../support/queue.ts';

/** What a reorder cannot do: it is refused in old words, and nothing is moved. */

let bakery: Bakery;
let ordering: Ordering;

let ids: string[];

beforeAll(async () => {
  bakery = await openBakery();
  ordering = orderingOf(bakery);
  ids = await ordering.fill(3);
});

afterAll(() => bakery.system.stop());

const ABSENT = 'f'.repeat(24);

describe('a reorder is refused, and nothing is moved', () => {
  test.each<[string, () => Array<[string, string]>, number, number, RegExp]>([
    ['without an order', () => [], 400, 1004, /order is missing/],
    ['with an empty order', () => [['order[]', '']], 400, 1004, /order is missing/],
    ['with an unknown update', () => orderOf([ids[1]!, ABSENT]), 404, 1020, /order names the update f{24}/],
    ['with an update twice', () => orderOf([ids[1]!, ids[0]!, ids[1]!]), 400, 1006, /more than once/],
    ['with something else than ids', () => orderOf(['1', '2']), 400, 1006, /order has to be a list of ids/],
    ['with a map', () => [['order[first]', ids[1]!]], 400, 1006, /order has to be a list/],
    ['with an offset below 0', () => [...orderOf([ids[1]!]), ['offset', '-1']], 400, 1006, /offset has/],
    ['with an offset in words', () => [...orderOf([ids[1]!]), ['offset', 'top']], 400, 1006, /offset has/],
    [
      'at an offset that no buffer has',
      () => [...orderOf([ids[1]!]), ['offset', '500']],
      400,
      1006,
      /offset has/,
    ],
    ['behind the end', () => [...orderOf([ids[1]!]), ['offset', '3']], 400, 1006, /offset leaves no place/],
    ['across the end', () => [...orderOf([...ids]), ['offset', '1']], 400, 1006, /offset leaves no place/],
    ['with two offsets', () => [...orderOf(ids), ['offset', '0'], ['offset', '1']], 400, 1006, /offset was/],
    [
      'with places that fall',
      () => [
        ['order[1]', ids[1]!],
        ['order[0]', ids[0]!],
      ],
      400,
      1006,
      /places/,
    ],
    ['with an unknown utc', () => [...orderOf([ids[1]!]), ['utc', 'x']], 400, 1006, /utc has to be/],
  ])('%s', async (_what, fieldsOf, status, code, words) => {
    const answer = await ordering.call('reorder', fieldsOf());
    expect([answer.status, answer.json.success, answer.json.code]).toEqual([status, false, code]);
    expect(answer.json.error).toMatch(words);
    expect(answer.json.message).toBe(answer.json.error);
    expect([await ordering.newRows(), await ordering.queue.order()]).toEqual([[], ids]);
  });

  test.each([
    ['of another channel', () => queueOf(bakery, CHANNELS.threads)],
    ['of another person', () => undefined],
  ])('with an update %s', async (_, otherQueue) => {
    const foreign = (await otherQueue()?.fill(1))?.[0] ?? '5e1f0c9a7b3d4e2f8a6c6d2b';
    const answer = await ordering.reorder([foreign, ...ids]);
    expect([answer.status, answer.json.code]).toEqual([404, 1020]);
    expect([await ordering.newRows(), await ordering.queue.order()]).toEqual([[], ids]);
  });

  test.each([ABSENT, CHANNELS.ofAnother, 'x'])(
    'for the profile %s, which is not the caller’s',
    async (profile) => {
      for (const name of ['reorder', 'shuffle']) {
        const answer = await bakery.post(`profiles/${profile}/updates/${name}`, orderOf(ids));
        expect([answer.status, answer.json.success, answer.json.code]).toEqual([404, false, 1010]);
      }
      expect(await ordering.newRows()).toEqual([]);
    },
  );

  test.each(['account:read posts:read', 'account:read posts:write'])(
    'with the rights %s, and the way to more is told',
    async (scope) => {
      const requests = ordering.requests();
      for (const name of ['reorder', 'shuffle'] as const) {
        const answer = await withScope(bakery.system, scope, () => ordering.call(name, orderOf(ids)));
        expect([answer.status, answer.json.code, answer.json.success]).toEqual([403, 1002, false]);
        expect(answer.json).toMatchObject({ reauthorize: { link: expect.stringContaining('/apps/') } });
      }
      expect(ordering.requests()).toBe(requests);
    },
  );

  test('by another method', async () => {
    const { status, headers } = await sendRaw(bakery.system.bridgeUrl, {
      path: `/1/profiles/${ordering.queue.channelId}/updates/reorder.json`,
      headers: { authorization: `Bearer ${bakery.token}` },
    });
    expect([status, headers['allow']]).toEqual([405, 'POST']);
  });
});
