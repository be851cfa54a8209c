import { randomBytes } from 'node:crypto';
import { BAKERY, channel, daily, RUNNERS, TWITTER } from '../support/posts.ts';
import { ground, withPosts } from '../support/running-posts.ts';

/** The worst that one request can ask for, over rows that one call each would take too long to make. */
withPosts();

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ');

/**
 * The answer, for which this process (server and test in one) may work that many seconds: ten times and more what it
 * takes, since the system counts as work what a virtual machine waited for a real one.
 */
async function within(seconds: number, query: string, variables: object) {
  const before = process.cpuUsage();
  const { status, body } = await ground.ask(query, variables);
  const { user, system } = process.cpuUsage(before);
  expect(status).toBe(200);
  expect((user + system) / 1e6).toBeLessThan(seconds);
  return body;
}

interface Row {
  channelId: string;
  status: string;
  dueAt?: number;
  content?: object;
}

const EMPTY = { text: 'x', assets: [], metadata: null, schedulingType: 'automatic', via: 'api' };

/** Posts with one tag, as the database has them; returns how to take them away again. */
function insertPosts(organizationId: string, tagId: string, rows: Row[]): () => void {
  const post =
    ground.db.prepare(`insert into posts (id, organization_id, channel_id, status, share_mode, created_at,
    updated_at, due_at, document) values (?, ?, ?, ?, 'addToQueue', 1, 1, ?, ?)`);
  const tag = ground.db.prepare('insert into post_tags (post_id, tag_id) values (?, ?)');
  const remove = ground.db.prepare('delete from posts where id = ?');
  const ids = rows.map(() => randomBytes(12).toString('hex'));
  ground.db.transaction(() => {
    for (const [index, { channelId, status, dueAt = null, content = {} }] of rows.entries()) {
      const document = JSON.stringify({ ...EMPTY, ...content });
      post.run(ids[index], organizationId, channelId, status, dueAt, document);
      tag.run(ids[index], tagId);
    }
  })();
  return () => ground.db.transaction(() => ids.forEach((id) => remove.run(id)))();
}

const someTag = (organizationId: string) =>
  String(ground.db.prepare('select id from tags where organization_id = ?').pluck().get(organizationId));

const many = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row);
const draft: Row = { channelId: TWITTER, status: 'draft' };

const NO_TAGS = Array.from({ length: 100 }, (_, i) => `no tag ${i}`);

describe('filters with long lists', () => {
  let remove: () => void;
  beforeAll(() => {
    remove = insertPosts(BAKERY, someTag(BAKERY), many(20_000, draft));
  });
  afterAll(() => remove());

  const POSTS = `query($input: PostsInput!) { ${times(30, (i) => `p${i}: posts(input: $input, first: 1) { edges { cursor } }`)} }`;

  test.each([
    ['tags', { tags: { in: NO_TAGS } }],
    ['tagIds', { tagIds: NO_TAGS }],
  ])('30 times 100 %s over 20,000 posts are answered in time', async (_what, filter) => {
    const body = await within(10, POSTS, { input: { organizationId: BAKERY, filter } });
    expect(body.data.p29).toEqual({ edges: [] });
  });

  test.each([
    ['tags.in', { tags: { in: [...NO_TAGS, 'one more'] } }],
    ['tagIds', { tagIds: [...NO_TAGS, 'one more'] }],
    ['channelIds', { channelIds: [...NO_TAGS, 'one more'] }],
    ['status', { status: Array(101).fill('draft') }],
  ])('%s takes no more than 100', async (name, filter) => {
    const { errors } = await ground.list(filter);
    expect(errors).toMatchObject([
      { message: `"${name}" takes at most 100 entries`, extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });
});

describe('a queue of 900 posts', () => {
  const SLOTS = ['08:00', '12:00', '18:30'];
  const CREATE = `mutation($input: CreatePostInput!) { ${times(
    30,
    (i) => `m${i}: createPost(input: $input) {
    ... on PostActionSuccess { post { dueAt } } ... on MutationError { message } }`,
  )} }`;

  test.each([
    ['addToQueue', (dueAt: number[]) => dueAt.slice(900, 930)],
    ['shareNext', (dueAt: number[]) => Array(30).fill(dueAt[0])],
  ])('30 times %s is done in time', async (mode, expected) => {
    ground.db.exec(`update organizations set document = json_set(document, '$.limits.scheduledPosts', 3000)`);
    const queue = ground.addChannel({ postingSchedule: daily(SLOTS), timezone: 'UTC' });
    const today = Math.floor(Date.now() / 86_400_000) * 86_400_000;
    const slots = Array.from({ length: 1000 }, (_, i) => {
      const [hour, minute] = (SLOTS[i % 3] ?? '').split(':').map(Number);
      return today + Math.floor(i / 3) * 86_400_000 + (hour ?? 0) * 3_600_000 + (minute ?? 0) * 60_000;
    }).filter((slot) => slot > Date.now());
    const rows = slots.slice(0, 900).map((dueAt) => ({ channelId: queue, status: 'scheduled', dueAt }));
    const remove = insertPosts(BAKERY, someTag(BAKERY), rows);
    const input = { channelId: queue, schedulingType: 'automatic', mode, text: 'x' };
    const { data } = await within(10, CREATE, { input });
    const dueAt = Array.from({ length: 30 }, (_, i) => Date.parse(data[`m${i}`].post?.dueAt));
    expect(dueAt).toEqual(expected(slots));
    const taken = ground.db
      .prepare('select due_at from posts where channel_id = ? order by due_at')
      .pluck()
      .all(queue);
    expect(taken).toEqual(slots.slice(0, 930));
    remove();
  });
});

test('30 moves in a queue of 4,000 posts are done in time, and each post keeps a time of its own', async () => {
  const hours = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`);
  const queue = ground.addChannel({ postingSchedule: daily(hours), timezone: 'UTC' });
  const start = Math.ceil(Date.now() / 3_600_000 + 1) * 3_600_000;
  const rows = Array.from({ length: 4000 }, (_, hour) => start + hour * 3_600_000).map((dueAt) => ({
    channelId: queue,
    status: 'scheduled',
    dueAt,
  }));
  const remove = insertPosts(BAKERY, someTag(BAKERY), rows);
  const inOrder = ground.db.prepare('select id from posts where channel_id = ? order by due_at').pluck();
  const last = String(inOrder.all(queue).at(-1));
  const MOVE = `mutation { ${times(
    30,
    (i) =>
      `m${i}: movePostInQueue(input: { id: "${last}", position: ${i % 2 ? 'bottom' : 'top'} }) { __typename }`,
  )} }`;
  const { data } = await within(20, MOVE, {});
  expect(new Set(Object.values(data).map((answer) => JSON.stringify(answer))).size).toBe(1);
  const distinct = ground.db.prepare('select count(distinct due_at) from posts where channel_id = ?').pluck();
  expect([distinct.get(queue), inOrder.all(queue).at(-1)]).toEqual([4000, last]);
  remove();
});

const lists = (count: number) =>
  `query($input: PostsInput!) { ${times(
    count,
    (i) => `p${i}: posts(input: $input, first: 100) {
    edges { node { text metadata { ... on TwitterPostMetadata { thread { text } } } } } }`,
  )} }`;

describe('an answer of more than 8 MB', () => {
  test('is none, but a page of the largest posts is one', async () => {
    const thread = many(6, draft).map(() => ({ text: 'x'.repeat(10_000), assets: [] }));
    const content = { text: 'x'.repeat(200), metadata: { thread } };
    const remove = insertPosts(BAKERY, someTag(BAKERY), many(100, { ...draft, content }));
    const input = { organizationId: BAKERY, filter: { channelIds: [TWITTER], status: ['draft'] } };
    const body = await within(20, lists(30), { input });
    expect(body).toEqual({ errors: [{ message: 'The answer is larger than the limit of 8 MB' }] });
    const { data } = await within(10, lists(1), { input });
    expect(data.p0.edges).toHaveLength(100);
    remove();
  });
});

test('an organization holds up to 5,000 posts that are not sent', async () => {
  const channelId = channel('3d07');
  const held = ground.db.prepare("select count(*) from posts where organization_id = ? and status <> 'sent'");
  const missing = 4999 - Number(held.pluck().get(RUNNERS));
  const remove = insertPosts(RUNNERS, someTag(RUNNERS), many(missing, { ...draft, channelId }));
  const { id } = await ground.made({ channelId, saveToDraft: true });
  const message = 'An organization can hold 5000 posts that are not sent. Delete one first.';
  // oxlint-disable-next-line no-await-in-loop
  for (const input of [{ saveToDraft: true }, { needsApproval: true }])
    expect(await ground.refusal({ channelId, ...input })).toEqual(['LimitReachedError', message]);
  expect((await ground.create({ channelId, mode: 'shareNow' })).__typename).toBe('PostActionSuccess');
  expect((await ground.edit({ id, text: 'Still a draft' })).__typename).toBe('PostActionSuccess');
  await ground.remove(id);
  expect((await ground.create({ channelId, saveToDraft: true })).__typename).toBe('PostActionSuccess');
  remove();
});

test('sixty thousand wrong values in one variable are refused as soon as the first is met', async () => {
  const query = 'query($input: PostsInput!) { posts(input: $input) { edges { cursor } } }';
  const input = { organizationId: BAKERY, filter: { status: Array.from({ length: 60_000 }, () => 'a') } };
  const before = process.cpuUsage();
  const { status, body } = await ground.ask(query, { input });
  const { user, system } = process.cpuUsage(before);
  expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
  expect((user + system) / 1e6).toBeLessThan(10);
});
