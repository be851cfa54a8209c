import { type Bakery, isWrite, openBakery, said, withScope, written } from '../support/bakery.ts';
import { type Queue, queueOf } from '../support/queue.ts';

/** The old call updates/:id/move_to_top, of posts that it moves and of others. */

const NOT_TO_BE_MOVED = 'Update must be in buffer and not custom scheduled in order to move to top.';

const WRITES_ALONE = 'account:read posts:write offline_access';

let bakery: Bakery;
let queue: Queue;

beforeAll(async () => {
  bakery = await openBakery();
  queue = queueOf(bakery);
});

afterAll(() => bakery.system.stop());

beforeEach(() => queue.fill(2));

afterEach(() => bakery.mend());

const timed = () =>
  queue.add({ mode: 'customScheduled', dueAt: new Date(Date.now() + 30 * 86_400_000).toISOString() });

/** The answer of the call, and what the new API was asked for it. */
async function moved(id: string) {
  const before = bakery.system.proxy.readings().length;
  const { status, json } = await bakery.post(`updates/${id}/move_to_top`);
  const asked = bakery.system.proxy.readings().slice(before);
  return { status, json, asked: asked.map((one) => (isWrite(one) ? 'write' : 'read')) };
}

/** Lets the new API show the post with another status. */
function showAs(status: string): void {
  bakery.system.proxy.onOtherAnswer = (call, answer) => {
    if (!call.body.includes('query Look')) return answer;
    const body = JSON.parse(answer.body.toString());
    body.data.post.status = status;
    return { ...answer, body: Buffer.from(JSON.stringify(body)) };
  };
}

const REFUSED = {
  success: false,
  error: NOT_TO_BE_MOVED,
  message: NOT_TO_BE_MOVED,
  code: 1027,
  link: expect.stringMatching(/\/lifecycle$/),
};

test('a post of the queue is read, and becomes the first', async () => {
  const [first, second] = await queue.order();
  expect(await moved(second ?? '')).toMatchObject({
    status: 200,
    json: { id: second, status: 'buffer' },
    asked: ['read', 'write'],
  });
  expect(await queue.order()).toEqual([second, first]);
});

test('a post with a time of its own is refused as at the old API, and keeps its time', async () => {
  const id = await timed();
  const before = await queue.order();
  const rows = (await bakery.rows()).length;
  expect(await moved(id)).toEqual({ status: 400, json: REFUSED, asked: ['read'] });
  expect(await queue.order()).toEqual(before);
  expect(await bakery.rows()).toHaveLength(rows);
});

test.each(['error', 'sending', 'sent', 'draft', 'needs_approval'])(
  'a post of the status %s, which does not wait in the queue, is refused likewise',
  async (status) => {
    const [first, second] = await queue.order();
    showAs(status);
    expect(await moved(second ?? '')).toEqual({ status: 400, json: REFUSED, asked: ['read'] });
    bakery.mend();
    expect(await queue.order()).toEqual([first, second]);
  },
);

test('where the connection may not read posts, a post gives its time up', async () => {
  const id = await timed();
  const answer = await withScope(bakery.system, WRITES_ALONE, () => moved(id));
  expect(answer).toMatchObject({ status: 200, json: { id }, asked: ['write'] });
  expect(answer.json).not.toHaveProperty('scheduled_at');
  expect((await queue.order())[0]).toBe(id);
});

test('what the new API refuses because it is not scheduled has the words of the old API too', async () => {
  const [id = ''] = await queue.order();
  const message = 'Only a scheduled post stands in a queue';
  bakery.instead(written({ __typename: 'VoidMutationError', message }));
  expect(await moved(id)).toMatchObject({ status: 400, json: REFUSED });
});

test.each<[string, number, number, number]>([
  ['that the account may not read', 200, 403, 1021],
  ['that the new API cannot show now', 502, 503, 1000],
])('a post %s is not moved', async (_why, given, status, code) => {
  const [first, second] = await queue.order();
  bakery.system.proxy.insteadOfOther = (call) =>
    call.body.includes('query Look')
      ? said(given, { data: null, errors: [{ message: 'no', extensions: { code: 'FORBIDDEN' } }] })
      : undefined;
  const answer = await moved(second ?? '');
  bakery.mend();
  expect([answer.status, answer.json.code]).toEqual([status, code]);
  expect(await queue.order()).toEqual([first, second]);
});
