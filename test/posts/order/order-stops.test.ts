import { type Bakery, cut, isWrite, openBakery, said, written } from '../support/bakery.ts';
import { until } from '../../support/servers/held-answer.ts';
import { type Ordering, orderingOf, pick, told } from '../support/ordering.ts';

/** A reorder that stops half-way, and moves whose answers are lost. */

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

/** Where a refusal leads that has no better address. */
const PAGE = expect.stringMatching(/\/lifecycle$/);

describe('a reorder that stops half-way', () => {
  test('by a refusal tells its words, how far it came, and the order that was reached', async () => {
    const ids = await ordering.fill(4);
    let writes = 0;
    bakery.system.proxy.insteadOfOther = (request) =>
      isWrite(request) && ++writes === 2
        ? written({ __typename: 'VoidMutationError', message: 'Not this one' })
        : undefined;
    const answer = await ordering.reorder(ids.toReversed());
    bakery.system.proxy.insteadOfOther = undefined;
    const reached = await ordering.queue.order();
    const message = 'Not this one. 1 of 3 moves were made. The order that was reached is in updates.';
    expect([answer.status, answer.json]).toEqual([
      400,
      { success: false, error: message, message, code: 1022, link: PAGE, updates: expect.any(Array) },
    ]);
    expect(told(answer)).toEqual(reached);
    expect(reached).not.toEqual(ids);
    expect((await ordering.newRows()).map(({ state }) => state)).toEqual(['done', 'refused']);
  });

  test('before the first move is an ordinary refusal', async () => {
    const ids = await ordering.fill(3);
    bakery.instead(written({ __typename: 'VoidMutationError', message: 'Not this one' }));
    const answer = await ordering.reorder(ids.toReversed());
    expect(answer.json).toEqual({
      success: false,
      error: 'Not this one',
      message: 'Not this one',
      code: 1022,
      link: PAGE,
    });
    expect([ordering.requests(), await ordering.queue.order()]).toEqual([2, ids]);
  });

  test('by an update that was deleted meanwhile says that it is not there', async () => {
    const ids = await ordering.fill(3);
    ordering.onWrite(2, () => ordering.queue.remove(ids[0]!));
    const answer = await ordering.reorder(ids.toReversed());
    expect([answer.status, answer.json.code, answer.json.success]).toEqual([404, 1020, false]);
    expect(answer.json.message).toMatch(/^Update could not be found\. 1 of 2 moves were made\./);
    expect(told(answer)).toEqual(await ordering.queue.order());
  });

  test('by a spent budget is 429 with its time, and nothing is sent any more', async () => {
    const ids = await ordering.fill(4);
    let writes = 0;
    const limit = { errors: [{ message: 'Too many', extensions: { code: 'RATE_LIMIT_EXCEEDED' } }] };
    bakery.system.proxy.insteadOfOther = (request) =>
      isWrite(request) && ++writes === 2 ? said(429, limit, { 'retry-after': '1' }) : undefined;
    const answer = await ordering.reorder(ids.toReversed());
    expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([429, 429, '1']);
    expect(answer.json.message).toMatch(
      /Try again in 1 second\. 1 of 3 moves were made\. The order that was reached could not be read/,
    );
    expect(answer.json.updates).toBeUndefined();
    expect([writes, (await ordering.newRows()).map(({ state }) => state)]).toEqual([2, ['done', 'refused']]);
    bakery.mend();
    let again = await ordering.reorder(ids.toReversed());
    while (again.status === 429) again = await ordering.reorder(ids.toReversed());
    expect([again.status, await ordering.queue.order()]).toEqual([200, ids.toReversed()]);
  });

  test('where the budget is too small for all moves is refused before the first', async () => {
    const ids = await ordering.fill(5);
    bakery.system.proxy.onOtherAnswer = (request, answer) =>
      request.body.includes('query Posts(')
        ? {
            ...answer,
            headers: {
              ...answer.headers,
              ratelimit: '"100-in-15min";r=4;t=2',
              'ratelimit-policy': '"100-in-15min";q=100;w=900',
            },
          }
        : answer;
    const answer = await ordering.reorder(ids.toReversed());
    expect([answer.status, answer.json.success, answer.json.code]).toEqual([429, false, 429]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect([await ordering.newRows(), await ordering.queue.order()]).toEqual([[], ids]);
    bakery.mend();
    let again = await ordering.reorder(ids.toReversed());
    while (again.status === 429) again = await ordering.reorder(ids.toReversed());
    expect(again.status).toBe(200);
  });

  test('where one window of an own client has too few left, that of another being the tighter', async () => {
    const grants = (id: string) =>
      bakery.system.bridge.context.store.durable
        .updateTable('grants')
        .set({ modern_client_id: id })
        .execute();
    const ids = await ordering.fill(5);
    await grants('a-client-of-its-own');
    bakery.system.proxy.onOtherAnswer = (_request, answer) => ({
      ...answer,
      headers: {
        ...answer.headers,
        ratelimit: '"100-in-15min";r=4;t=700, "3000-in-30day";r=100;t=90000',
        'ratelimit-policy': '"100-in-15min";q=100;w=900, "3000-in-30day";q=3000;w=2592000',
      },
    });
    const answer = await ordering.reorder(ids.toReversed());
    await grants(bakery.system.bridge.context.server.clientId);
    expect([answer.status, answer.json.success, answer.json.code]).toEqual([429, false, 429]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(600);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(700);
    expect([await ordering.newRows(), await ordering.queue.order()]).toEqual([[], ids]);
  });

  test('because the queue was changed meanwhile is told, though every move was made', async () => {
    const ids = await ordering.fill(3);
    ordering.onWrite(2, () => ordering.queue.move(ids[2]!, 'bottom'));
    const answer = await ordering.reorder(pick(ids, '210'));
    const reached = await ordering.queue.order();
    expect(reached).toEqual(pick(ids, '120'));
    expect([answer.status, answer.json.success, answer.json.code]).toEqual([400, false, 1022]);
    expect(answer.json.message).toMatch(/^The buffer changed while its updates were moved\. 2 of 2 moves/);
    expect(told(answer)).toEqual(reached);
  });

  test('because its order cannot be read in the end is not told as reached', async () => {
    const ids = await ordering.fill(2);
    let reads = 0;
    bakery.system.proxy.insteadOfOther = (request) =>
      request.body.includes('query Posts(') && ++reads === 2 ? said(502, '') : undefined;
    const answer = await ordering.reorder(ids.toReversed());
    expect([answer.status, answer.json.code, answer.json.success]).toEqual([500, 1000, false]);
    expect(answer.json.message).toMatch(
      /^The updates were moved\. 1 of 1 moves were made\. .* could not be read/,
    );
    expect(answer.json.link).toContain('/apps/');
    expect(await ordering.queue.order()).toEqual(ids.toReversed());
  });
});

describe('a move whose answer is lost', () => {
  test('is seen at its place, and the others follow; nothing is sent twice', async () => {
    const ids = await ordering.fill(4);
    bakery.onWrites(1, cut);
    const answer = await ordering.reorder(ids.toReversed());
    expect([answer.status, answer.json.success, told(answer)]).toEqual([200, true, ids.toReversed()]);
    expect(await ordering.newRows()).toMatchObject([
      { state: 'found', looks: 1, call: 'reorder' },
      { state: 'done' },
      { state: 'done' },
    ]);
    // A reading before, three moves, one look, a reading behind.
    expect(ordering.requests()).toBe(6);
  });

  test.each(['top', 'bottom'] as const)(
    'at the %s of the queue is told apart by its row',
    async (position) => {
      const ids = await ordering.fill(3);
      const dueAt = new Date(Date.now() + 600 * 86_400_000).toISOString();
      await ordering.queue.add({ mode: 'customScheduled', dueAt });
      bakery.onWrites(1, cut);
      const answer = await (position === 'top'
        ? ordering.reorder([ids[2]!])
        : ordering.reorder([ids[0]!], [['offset', '2']]));
      expect(answer.json.success).toBe(true);
      expect(await ordering.newRows()).toMatchObject([{ state: 'found' }]);
    },
  );

  test('and of which nothing is there may have been made: the caller is told, and nothing more is sent', async () => {
    const ids = await ordering.fill(4);
    ordering.onWrite(2, cut);
    const answer = await ordering.reorder(ids.toReversed());
    bakery.mend();
    expect([answer.status, answer.json.code, answer.json.success]).toEqual([500, 1000, false]);
    expect(answer.json.error).toBe(
      'The new API did not answer. An update may have been moved. 1 of 3 moves were made. The order that was reached is in updates.',
    );
    expect(answer.json.link).toContain('/apps/');
    expect(told(answer)).toEqual(await ordering.queue.order());
    expect((await ordering.newRows()).map(({ state }) => state)).toEqual(['done', 'in_doubt']);
    await bakery.lookAfter(11 * 60_000);
    expect((await ordering.newRows()).at(-1)).toMatchObject({ state: 'in_doubt', next_look_at: null });
  });

  test('and that is made later is found by a later look', async () => {
    const ids = await ordering.fill(2);
    ordering.onWrite(1, cut);
    expect((await ordering.reorder(ids.toReversed())).status).toBe(500);
    bakery.mend();
    await ordering.queue.move(ids[0]!, 'bottom');
    await bakery.lookAfter(15_000);
    // The job of the bridge may have taken the look.
    await until(async () => (await ordering.newRows())[0]?.state === 'found');
    expect(await ordering.newRows()).toMatchObject([{ state: 'found', post_id: ids[0] }]);
  });

  test('in words of the new API is in doubt with them', async () => {
    const ids = await ordering.fill(2);
    bakery.instead(written({ __typename: 'UnexpectedError', message: 'It broke.' }));
    const answer = await ordering.reorder(ids.toReversed());
    expect([answer.status, answer.json.code]).toEqual([500, 1000]);
    expect(answer.json.error).toMatch(/^The new API answered: It broke\. An update may have been moved\./);
    expect((await ordering.newRows()).map(({ state }) => state)).toEqual(['in_doubt']);
  });

  test('a well-formed 401 renews the access token, and each move is made once', async () => {
    const ids = await ordering.fill(3);
    bakery.instead(
      said(401, {
        errors: [{ message: 'Access token is not valid', extensions: { code: 'UNAUTHENTICATED' } }],
      }),
    );
    const answer = await ordering.reorder(ids.toReversed());
    expect([answer.status, told(answer)]).toEqual([200, ids.toReversed()]);
    expect((await ordering.newRows()).map(({ state }) => state)).toEqual(['done', 'done']);
  });
});

test('two reorders at once lose no update, and neither says of an order that it is there where it is not', async () => {
  const ids = await ordering.fill(6);
  const orders = ['543210', '204153'].map((places) => pick(ids, places));
  const answers = await Promise.all(orders.map((order) => ordering.reorder(order)));
  for (const [index, answer] of answers.entries()) {
    expect([200, 400]).toContain(answer.status);
    expect(answer.json.success).toBe(told(answer)?.join() === orders[index]?.join());
    expect(told(answer)?.toSorted()).toEqual(ids.toSorted());
  }
  expect((await ordering.queue.order()).toSorted()).toEqual(ids.toSorted());
});
