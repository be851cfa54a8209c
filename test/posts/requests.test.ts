import { notePostsChanged } from '../../src/domain/posts/lists/post-cache.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { expectRefusal } from '../endpoints/support/expectations.ts';
import { expectAlive } from '../endpoints/support/knock.ts';
import type { Answer } from '../support/servers/forward.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { CHANNELS } from './support/posts.ts';
import { connectReader, idsOf, isoIn, type Reader, type ReadKind, CHANNEL } from './support/reader.ts';

/** What reads of posts cost at the new API, and what they are answered from when it cannot be asked. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const clock = new SettableClock();
let door: Door;
let reader: Reader;

beforeAll(async () => {
  // No access token is renewed while the clock moves: that would cost requests of its own.
  door = await openDoor({ clock, accessTokenSeconds: 86_400 });
  reader = await connectReader(door);
  await reader.get('/1/profiles.json');
  for (let number = 0; number < 45; number += 1)
    await reader.create({ mode: 'customScheduled', dueAt: isoIn((400 * 24 + number) * HOUR) });
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

/** A list without the words of its days: when the clock passes midnight, tomorrow becomes today. */
const dayless = (list: unknown): unknown =>
  JSON.parse(JSON.stringify(list, (key, value: unknown) => (key === 'day' ? undefined : value)));

const volatile = () => door.bridge.context.store.volatile;

/** Past every window, and nothing is kept of posts. */
async function startAnew(): Promise<void> {
  door.proxy.onOtherAnswer = undefined;
  clock.advance(16 * MINUTE);
  await volatile().deleteFrom('post_answers').execute();
}

/** The account was read so long ago. */
async function ageAccount(age: number): Promise<void> {
  await volatile()
    .updateTable('answers')
    .set({ fetched_at: clock.now() - age })
    .execute();
}

beforeEach(startAnew);

const list = (call: string) => () => reader.list(call);
const path = (call: string) => `/1/profiles/${CHANNEL}/updates/${call}`;

const withHeaders = (headers: Answer['headers']) => (_call: unknown, answer: Answer) => ({
  ...answer,
  headers: { ...answer.headers, ...headers },
});

const budget = (left: number, resetAfter: number) => ({
  ratelimit: `"100-in-15min";r=${left};t=${resetAfter}`,
  'ratelimit-policy': '"100-in-15min";q=100;w=900',
});

/** The new API says of each answer from now on that so much is left. */
async function leave(left: number, resetAfter = 900): Promise<void> {
  door.proxy.onOtherAnswer = withHeaders(budget(left, resetAfter));
  await reader.get('/1/profiles.json');
  door.proxy.onOtherAnswer = undefined;
  await door.bridge.untilShared();
}

const down = () => ({ status: 502, headers: {}, body: Buffer.from('') });

const fiveAtOnce = () => Promise.all(Array.from({ length: 5 }, list('sent.json')));

describe('the table of requests', () => {
  let update: string;

  beforeAll(async () => {
    update = await reader.create({ mode: 'customScheduled', dueAt: isoIn(300 * 24 * HOUR) });
  });

  const one = () => reader.get(`/1/updates/${update}.json`);

  test.each<[string, string, () => () => Promise<unknown>, ReadKind[]]>([
    ['the first page of pending', 'known', () => list('pending.json'), ['posts']],
    ['the first page of sent', 'known', () => list('sent.json'), ['posts']],
    ['a hundred of pending', 'known', () => list('pending.json?count=100'), ['posts']],
    ['the second page at once', 'known', () => list('pending.json?page=2'), ['posts']],
    ['the third page at once', 'known', () => list('pending.json?page=3'), ['posts']],
    ['sent since a time', 'known', () => list('sent.json?since=1700000000'), ['posts']],
    ['pending since a time', 'known', () => list('pending.json?since=1700000000'), ['posts']],
    ['an update', 'known', () => one, ['post']],
    ['the first page of pending', 'an hour old', () => list('pending.json'), ['account', 'posts']],
    ['an update', 'an hour old', () => one, ['post', 'account']],
  ])('%s where the account is %s', async (_call, account, call, asked) => {
    await ageAccount(account === 'known' ? HOUR - 1000 : HOUR);
    expect(await reader.asked(call())).toEqual(asked);
    expect(await reader.asked(call())).toEqual([]);
  });

  test('a profile that is gone costs one reading of the account in ten minutes', async () => {
    const gone = () => reader.get(`/1/profiles/${'f'.repeat(24)}/updates/pending.json`);
    await ageAccount(10 * MINUTE - 1000);
    expect(await reader.asked(gone)).toEqual([]);
    await ageAccount(10 * MINUTE);
    expect(await reader.asked(gone)).toEqual(['account']);
    expectRefusal(await gone(), 404, 1010);
  });

  test('few posts are read as a hundred, so that other pages cost nothing', async () => {
    await list('pending.json?count=5')();
    for (const call of ['count=5&page=1', 'count=5&page=9', 'count=20&page=2', 'count=40&page=2', 'page=30'])
      expect(await reader.asked(list(`pending.json?${call}`))).toEqual([]);
  });

  test('calls at once share one request', async () => {
    await reader.get('/1/profiles.json');
    expect(await reader.asked(fiveAtOnce)).toEqual(['posts']);
  });

  test('since on sent is answered from the same answer as without it, whatever the time', async () => {
    await list('sent.json')();
    const since = [1, 1_700_000_000, 1_800_000_000].map((time) => list(`sent.json?since=${time}`));
    for (const call of since) expect(await reader.asked(call)).toEqual([]);
  });
});

test('an answer is asked for anew after a minute, and all its pages with it', async () => {
  const third = await list('pending.json?page=3')();
  clock.advance(61_000);
  expect(await reader.asked(list('pending.json'))).toEqual(['posts']);
  expect(await reader.asked(list('pending.json?page=3'))).toEqual([]);
  expect(await reader.list('pending.json?page=3')).toEqual(third);
});

test('a list that begins otherwise forgets its cursors, so that no post is left out between two pages', async () => {
  const before = idsOf(await reader.list('pending.json?count=100'));
  await startAnew();
  for (const page of [1, 2, 3]) await list(`pending.json?page=${page}`)();
  const id = await reader.create({ mode: 'customScheduled', dueAt: isoIn(48 * HOUR) });
  clock.advance(61_000);
  expect(idsOf(await reader.list('pending.json'))).toEqual([id, ...before.slice(0, 19)]);
  expect(idsOf(await reader.list('pending.json?page=3'))).toEqual(before.slice(39, 59));
  expect(idsOf(await reader.list('pending.json?page=2'))).toEqual(before.slice(19, 39));
});

test('a cursor that the new API does not know any more costs the caller nothing', async () => {
  const third = await list('pending.json?page=3')();
  clock.advance(61_000);
  const { pages } = JSON.parse(await keptBody()) as { pages: unknown };
  const marks = [20, 40].map((offset) => ({ offset, cursor: 'gone' }));
  await keepBody({ startedAt: clock.now(), pages, marks });
  expect(await reader.list('pending.json?page=3')).toEqual(third);
});

const kept = () => volatile().selectFrom('post_answers').select('body');

async function keptBody(): Promise<string> {
  return (await kept().executeTakeFirstOrThrow()).body;
}

async function keepBody(answer: object): Promise<void> {
  const body = JSON.stringify(answer);
  await volatile().updateTable('post_answers').set({ body }).execute();
}

test.each(['nonsense', '{}', 'null', '{"startedAt":"x"}'])(
  'a kept answer that nobody can read (%s) counts as none',
  async (body) => {
    const listed = await list('pending.json')();
    await volatile().updateTable('post_answers').set({ body }).execute();
    expect(await reader.list('pending.json')).toEqual(listed);
  },
);

test('while the new API is away the last answer serves with its age, and what is not known is 503', async () => {
  const listed = await list('pending.json')();
  door.proxy.onOtherAnswer = down;
  clock.advance(5 * MINUTE);
  const last = await reader.get(path('pending.json'));
  expect([last.status, last.headers['age'], dayless(last.json)]).toEqual([200, '300', dayless(listed)]);
  expect((await reader.get(path('pending.json?page=2'))).headers['age']).toBe('300');
  const unknown = await reader.get(path('sent.json'));
  expectRefusal(unknown, 503, 1000);
  expect(Number(unknown.headers['retry-after'])).toBeGreaterThan(0);
  const readAt = clock.now() - 24 * HOUR;
  await keepBody({ ...JSON.parse(await keptBody()), pages: [{ offset: 0, posts: [], readAt }] });
  expectRefusal(await reader.get(path('pending.json')), 503, 1000);
});

test.each([
  ['no JSON', '<html>'],
  ['half of an answer', '{"data":{"posts":{"edges":[{"node":{"id":"1"'],
  ['another shape', '{"data":{"posts":{"edges":[{"node":{"id":1}}],"pageInfo":{"hasNextPage":false}}}}'],
  ['no data', '{"data":null}'],
  ['an error without a code', '{"data":null,"errors":[{"message":"no"}]}'],
])('an answer of the new API that is %s is 503, and the last known answer serves', async (_what, text) => {
  const listed = await list('pending.json')();
  door.proxy.onOtherAnswer = (_call, answer) => ({ ...answer, body: Buffer.from(text) });
  clock.advance(61_000);
  const last = await reader.get(path('pending.json'));
  expect([last.status, last.headers['age'], dayless(last.json)]).toEqual([200, '61', dayless(listed)]);
  expectRefusal(await reader.get(path('sent.json')), 503, 1000);
  expectRefusal(await reader.get(`/1/updates/${'0'.repeat(24)}.json`), 503, 1000);
});

test('who has written reads what was written, however fresh the last answer is', async () => {
  const before = await list('pending.json?count=100')();
  const id = await reader.create({ mode: 'customScheduled', dueAt: isoIn(24 * HOUR) });
  const one = () => reader.get(`/1/updates/${id}.json`);
  await one();
  expect(await reader.list('pending.json?count=100')).toEqual(before);
  await notePostsChanged(door.bridge.context, (await reader.grant()).id);
  clock.advance(1);
  expect(await reader.asked(one)).toEqual(['post']);
  const after = await reader.list('pending.json?count=100');
  expect([idsOf(after)[0], after.total]).toEqual([id, before.total + 1]);
  expect(await reader.asked(list('pending.json?count=100'))).toEqual([]);
  expect(await reader.asked(one)).toEqual([]);
});

test('below a tenth of the budget nothing is asked: what is known serves with its age, the rest is 429', async () => {
  const listed = await list('pending.json')();
  await leave(9, 600);
  clock.advance(10 * MINUTE - 1000);
  await leave(9, 600);
  const asked = await reader.asked(async () => {
    const last = await reader.get(path('pending.json'));
    expect([last.status, dayless(last.json)]).toEqual([200, dayless(listed)]);
    const refused = await reader.get(path('sent.json'));
    expectRefusal(refused, 429, 429);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(600);
    expectRefusal(await reader.get(`/1/updates/${'0'.repeat(24)}.json`), 429, 429);
  });
  expect(asked.filter((kind) => kind !== 'account')).toEqual([]);
  clock.advance(601_000);
  expect((await reader.get(path('sent.json'))).status).toBe(200);
});

test('an answer stays fresh for longer as the budget empties', async () => {
  await reader.get('/1/profiles.json');
  door.proxy.onOtherAnswer = withHeaders(budget(20, 900));
  await list('pending.json')();
  clock.advance(149_000);
  expect(await reader.asked(list('pending.json'))).toEqual([]);
  clock.advance(2000);
  expect(await reader.asked(list('pending.json'))).toEqual(['posts']);
});

test('an app that has read three times what is left waits, and another app reads on', async () => {
  const other = await connectReader(door);
  await other.list('pending.json');
  await reader.get('/1/profiles.json');
  const lists = Array.from({ length: 40 }, (_, number) => `pending.json?since=${1_700_000_000 + number}`);
  door.proxy.onOtherAnswer = withHeaders(budget(12, 900));
  const statuses: number[] = [];
  for (const call of lists) statuses.push((await reader.get(path(call))).status);
  // The reading of the account is the first of the thirty-six.
  expect(statuses).toEqual([
    ...Array.from({ length: 35 }, () => 200),
    ...Array.from({ length: 5 }, () => 429),
  ]);
  expect((await other.get(path('sent.json'))).status).toBe(200);
});

test('a grant keeps a hundred answers and twenty since a time, and none once it has ended', async () => {
  const other = await connectReader(door);
  const { id } = await other.grant();
  const count = async () => (await kept().where('grant_id', '=', id).execute()).length;
  const one = { grant_id: id, body: 'null', length: null, fetched_at: clock.now() };
  const others = Array.from({ length: 98 }, (_, number) => ({ ...one, id: `${id} post ${number}` }));
  await volatile().insertInto('post_answers').values(others).execute();
  await other.list('pending.json');
  for (let number = 0; number < 22; number += 1)
    await other.list(`pending.json?since=${1_700_000_000 + number}`);
  expect(await count()).toBe(119);
  clock.advance(MINUTE);
  await other.list('sent.json');
  expect(await count()).toBe(120);
  await other.list('sent.json', CHANNELS.bluesky);
  expect(await count()).toBe(120);
  await other.get('/1/user/deauthorize.json');
  expect(await count()).toBe(0);
});
