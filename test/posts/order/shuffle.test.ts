import { type Bakery, cut, openBakery } from '../support/bakery.ts';
import { type Ordering, orderingOf, told } from '../support/ordering.ts';
import { runningQueue } from '../support/queue.ts';

/** POST profiles/:id/updates/shuffle of the old API. */

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

describe('a shuffle', () => {
  test('brings the updates into an order that was drawn, and answers with it', async () => {
    const ids = await ordering.fill(6);
    const orders = new Set<string>();
    for (let run = 0; run < 4; run += 1) {
      const answer = await ordering.call('shuffle', []);
      expect([answer.status, answer.json.success]).toEqual([200, true]);
      expect(answer.json.message).toMatch(/^The updates were shuffled\./);
      expect(told(answer)).toEqual(await ordering.queue.order());
      expect(told(answer)?.toSorted()).toEqual(ids.toSorted());
      orders.add(told(answer)?.join() ?? '');
    }
    // That four shuffles of six bring one order alone happens once in 370 million runs.
    expect(orders.size).toBeGreaterThan(1);
    for (const row of await ordering.newRows()) expect(row).toMatchObject({ call: 'shuffle', state: 'done' });
  });

  test('answers with as many as it is asked for, and shuffles the others too', async () => {
    const ids = await ordering.fill(6);
    let areOthersMoved = false;
    for (let run = 0; run < 4; run += 1) {
      const before = await ordering.queue.order();
      const answer = await ordering.call('shuffle', [['count', '1']]);
      expect([answer.status, answer.json.message]).toEqual([
        200,
        expect.stringMatching(/^The updates were shuffled\./),
      ]);
      const after = await ordering.queue.order();
      const [first, ...others] = after;
      expect(told(answer)).toEqual([first]);
      expect(after.toSorted()).toEqual(ids.toSorted());
      areOthersMoved ||= others.join() !== before.filter((id) => id !== first).join();
    }
    // That four shuffles leave five others in their order happens once in 200 million runs.
    expect(areOthersMoved).toBe(true);
  });

  test('of a long queue draws twenty of all', async () => {
    ordering.queue = await runningQueue(bakery);
    const ids = await ordering.fill(24);
    const answer = await ordering.call('shuffle', [['utc', '1']]);
    expect([answer.status, answer.json.success]).toEqual([200, true]);
    expect(answer.json.message).toMatch(/^The first 20 updates were drawn from all 24/);
    expect(told(answer)).toEqual(await ordering.queue.order());
    expect(told(answer)?.toSorted()).toEqual(ids.toSorted());
    expect((await ordering.newRows()).length).toBeLessThanOrEqual(20);
  });

  test.each([0, 1])('of %i updates moves nothing', async (count) => {
    const ids = await ordering.fill(count);
    const answer = await ordering.call('shuffle', []);
    expect([answer.status, answer.json.success, told(answer), ordering.requests()]).toEqual([
      200,
      true,
      ids,
      1,
    ]);
  });

  test.each(['0', '-1', 'all'])('refuses the count %s', async (count) => {
    await ordering.fill(2);
    const answer = await ordering.call('shuffle', [['count', count]]);
    expect([answer.status, answer.json.success, answer.json.code]).toEqual([400, false, 1006]);
    expect(answer.json.error).toMatch(/count has to be a whole number/);
  });

  test('that stops half-way tells the order that was reached', async () => {
    const ids = await ordering.fill(8);
    ordering.onWrite(2, cut);
    const answer = await ordering.call('shuffle', []);
    expect([answer.status, answer.json.code, answer.json.success]).toEqual([500, 1000, false]);
    expect(answer.json.error).toMatch(/An update may have been moved\. 1 of \d+ moves were made/);
    expect(told(answer)).toEqual(await ordering.queue.order());
    expect(told(answer)?.toSorted()).toEqual(ids.toSorted());
  });
});
