import { REQUESTS_PER_CALL } from '../../src/domain/cut-over/request-costs.ts';
import { textOfUpdate } from '../../src/domain/ids/updates/update-matches.ts';
import { OLD_CALL_NAMES, type OldCallName } from '../../src/domain/old-calls/old-calls.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { expectAlive } from '../endpoints/support/knock.ts';
import { isWrite } from '../posts/support/bakery.ts';
import { orderOf } from '../posts/support/ordering.ts';
import { BAKERY, type RealPost, realPosts, RUNNERS } from '../posts/support/posts.ts';
import { type Queue, queueOf, runningQueue } from '../posts/support/queue.ts';
import { CHANNEL, connectReader, isoIn, type Reader } from '../posts/support/reader.ts';
import type { Answer } from '../support/servers/forward.ts';
import { type RawRequest, rawForm, sendRaw } from '../support/callers/raw-request.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';

/** The table of requests per old call that a cut-over is reckoned with, held against what the bridge sends. */

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const clock = new SettableClock();
let door: Door;
let reader: Reader;

beforeAll(async () => {
  door = await openDoor({ clock, accessTokenSeconds: 86_400 });
  reader = await connectReader(door);
});

afterEach(() => {
  door.proxy.onOtherAnswer = undefined;
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

const post = (path: string, fields: [string, string][] | Record<string, string> = {}): RawRequest => ({
  method: 'POST',
  path,
  ...rawForm(new URLSearchParams(fields).toString()),
});

type Shown = Pick<RealPost, 'id' | 'text' | 'dueAt' | 'channelId'>;

let made = 0;

/** A post of a text and a time that no other has. */
async function newPost(): Promise<Shown> {
  made += 1;
  const content = { text: `Cake ${made}`, dueAt: isoIn(DAY * (30 + made)) };
  const id = await reader.create({ mode: 'customScheduled', ...content });
  return { id, channelId: CHANNEL, ...content };
}

/** A post that waits in a queue, which alone is moved to the top. */
async function newQueued(): Promise<Shown> {
  const waiting = queueOf({ system: door });
  const [id = ''] = await waiting.fill(1);
  const where = { apiUrl: door.proxy.origin, since: 0, organizationId: RUNNERS };
  const real = (await realPosts(door.bridge.context, where)).find((one) => one.id === id);
  return { id, channelId: waiting.channelId, text: real?.text ?? '', dueAt: real?.dueAt ?? '' };
}

const postFor = (name: OldCallName) => (name === 'moveUpdateToTop' ? newQueued() : newPost());

/** The old API has shown these posts under ids of its own, which nobody has used since; those ids. */
async function showOld(posts: readonly Shown[]): Promise<string[]> {
  const { store, vault } = door.bridge.context;
  const { account_id: accountId } = await reader.grant();
  const rows = posts.map(({ text, dueAt, channelId }) => {
    const oldId = newHexId();
    return {
      id: `${accountId} ${oldId}`,
      account_id: accountId,
      old_id: oldId,
      profile_id: channelId,
      text_digest: vault.digest(textOfUpdate(accountId, text)),
      due_at: Date.parse(dueAt ?? ''),
      seen_at: clock.now(),
    };
  });
  await store.durable.insertInto('learned_updates').values(rows).execute();
  return rows.map((row) => row.old_id);
}

const queue = `/1/profiles/${CHANNEL}`;
const photo = { 'media[photo]': 'https://images.example/cake.png' };

/** A call of each name that is about one post at most, in its dearest form; `id` is that of the post. */
const CALLS: Partial<Record<OldCallName, (id: string) => RawRequest>> = {
  schedules: () => ({ path: `${queue}/schedules.json` }),
  updateSchedules: () => post(`${queue}/schedules/update.json`),
  pendingUpdates: () => ({ path: `${queue}/updates/pending.json?count=100` }),
  sentUpdates: () => ({ path: `${queue}/updates/sent.json?count=100` }),
  createUpdate: () => post('/1/updates/create.json', { 'profile_ids[]': CHANNEL, text: 'Cake', ...photo }),
  update: (id) => ({ path: `/1/updates/${id}.json` }),
  interactions: (id) => ({ path: `/1/updates/${id}/interactions.json` }),
  changeUpdate: (id) => post(`/1/updates/${id}/update.json`, { text: 'Cake with cream', ...photo }),
  shareUpdate: (id) => post(`/1/updates/${id}/share.json`),
  destroyUpdate: (id) => post(`/1/updates/${id}/destroy.json`),
  moveUpdateToTop: (id) => post(`/1/updates/${id}/move_to_top.json`),
  shares: () => ({ path: '/1/links/shares.json?url=https%3A%2F%2Fcake.example' }),
  configuration: () => ({ path: '/1/info/configuration.json' }),
};

const THERE_ALREADY: readonly OldCallName[] = ['user', 'profiles', 'profile', 'deauthorize'];
const ORDERS = ['reorderUpdates', 'shuffleUpdates'] as const;

test('each of the nineteen calls stands in the tables of this test, or is there already', () => {
  expect([...THERE_ALREADY, ...ORDERS, ...Object.keys(CALLS)].toSorted()).toEqual(OLD_CALL_NAMES.toSorted());
  expect(THERE_ALREADY.map((name) => REQUESTS_PER_CALL[name])).toEqual([0, 0, 0, 0]);
});

/** Nothing is cached, no window of a budget is running, and the account was read a few minutes ago. */
async function startAnew(): Promise<void> {
  await reader.get('/1/profiles.json');
  clock.advance(16 * MINUTE);
  await door.bridge.context.store.volatile.deleteFrom('post_answers').execute();
}

/** What the new API was asked for by the bridge, in how many requests, and how many of them write. */
async function requestsOf(request: RawRequest) {
  await startAnew();
  const before = door.proxy.readings().length;
  const headers = { ...request.headers, authorization: `Bearer ${reader.token}` };
  const { status } = await sendRaw(door.bridgeUrl, { ...request, headers });
  const asked = door.proxy.readings().slice(before);
  return { requests: asked.length, writes: asked.filter(isWrite).length, status };
}

/** A destroy reaches no post by an id that was not used before. */
const REFUSED: Partial<Record<OldCallName, number>> = { updateSchedules: 400, destroyUpdate: 404 };

test.each(Object.keys(CALLS) as OldCallName[])(
  '%s by an id that the old API told costs what the table says',
  async (name) => {
    const [id = ''] = await showOld([await postFor(name)]);
    const { requests, status } = await requestsOf(CALLS[name]!(id));
    expect(status).toBe(REFUSED[name] ?? 200);
    expect(requests).toBe(REQUESTS_PER_CALL[name]);
  },
);

test.each<[OldCallName, number]>([
  ['update', 1],
  ['changeUpdate', 2],
  ['shareUpdate', 1],
  ['destroyUpdate', 1],
  ['moveUpdateToTop', 2],
])('%s by an id of the new API costs %d', async (name, cost) => {
  const { id } = await postFor(name);
  expect(await requestsOf(CALLS[name]!(id))).toMatchObject({ requests: cost, status: 200 });
});

interface Listed {
  data: { posts: { edges: unknown[]; pageInfo: object } };
}

const PAGES = 5;

/** The new API gives each list on five pages, as it does with a queue of more than four hundred. */
function onManyPages(): void {
  let whole: Listed;
  door.proxy.onOtherAnswer = ({ body }, answer: Answer) => {
    if (!body.includes('query Posts(')) return answer;
    const { after } = (JSON.parse(body) as { variables: { after?: string } }).variables;
    if (after === undefined) whole = JSON.parse(answer.body.toString()) as Listed;
    const page = Number(after ?? 0);
    const size = Math.ceil(whole.data.posts.edges.length / PAGES);
    const edges = whole.data.posts.edges.slice(page * size, (page + 1) * size);
    const pageInfo = { hasNextPage: page + 1 < PAGES, endCursor: String(page + 1) };
    return {
      ...answer,
      status: 200,
      body: Buffer.from(JSON.stringify({ data: { posts: { edges, pageInfo } } })),
    };
  };
}

describe('an order that needs the most moves', () => {
  let running: Queue;
  let oldIds: string[];

  beforeEach(async () => {
    // Each queue has the texts and times of the one before it.
    await door.bridge.context.store.durable.deleteFrom('learned_updates').execute();
    running = await runningQueue({ system: door });
    const ids = await running.fill(21);
    const where = { apiUrl: door.proxy.origin, since: 0, organizationId: BAKERY };
    const real = await realPosts(door.bridge.context, where);
    oldIds = await showOld(ids.map((id) => real.find((one) => one.id === id)!));
  });

  const path = (call: string) => `/1/profiles/${running.channelId}/updates/${call}.json`;
  const turned = () => post(path('reorder'), orderOf(oldIds.toReversed()));

  test('a reorder by ids of the old API costs twenty moves, and a reading before and behind them', async () => {
    const before = await running.order();
    expect(await requestsOf(turned())).toEqual({ requests: 22, writes: 20, status: 200 });
    expect(await running.order()).toEqual(before.toReversed());
  });

  test('a reorder of a long queue costs what the table says', async () => {
    onManyPages();
    expect(await requestsOf(turned())).toEqual({
      requests: REQUESTS_PER_CALL.reorderUpdates,
      writes: 20,
      status: 200,
    });
  });

  test('a shuffle of a long queue costs as many readings, and twenty moves at most', async () => {
    onManyPages();
    const { requests, writes, status } = await requestsOf(post(path('shuffle')));
    expect([status, requests - writes]).toEqual([200, REQUESTS_PER_CALL.shuffleUpdates - 20]);
    expect(writes).toBeGreaterThan(0);
    expect(writes).toBeLessThanOrEqual(20);
  });
});
