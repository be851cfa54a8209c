import { sql } from 'kysely';
import { DAY, SECOND } from '../../../src/shared/lifetimes.ts';
import { windowsTakenBy } from '../../../src/domain/limits/taken.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { type Bakery, cut, isWrite, openBakery } from '../support/bakery.ts';
import { aLiveAccessToken, ask, CHANNELS } from '../support/posts.ts';

/** How the job looks for writes in doubt whose caller has gone. */

let bakery: Bakery;

/**
 * A look leaves out what was made more than five seconds before its write, by the clocks of both sides. The bridge's goes
 * after that of the new API, so that all posts of a test are looked at, however long a busy machine takes to make them.
 */
const BEHIND = 20 * SECOND;

beforeAll(async () => {
  const clock = new SettableClock(Date.now() - BEHIND);
  clock.run();
  bakery = await openBakery(clock);
});

afterAll(() => bakery.system.stop());

beforeEach(() => bakery.system.bridge.context.store.durable.deleteFrom('post_writes').execute());

async function lose(times: number): Promise<void> {
  bakery.cutBefore(times);
  const texts = Array.from({ length: times }, (_, i) => `Crumb ${i}`);
  await Promise.all(texts.map((one) => bakery.create(one)));
  bakery.mend();
}

const requests = () => bakery.system.proxy.readings().length;

test('the looks of the job share one list for each channel, and give way to writes', async () => {
  const { context } = bakery.system.bridge;
  await lose(3);
  const first = requests();
  await bakery.lookAfter(15_000);
  expect(requests() - first).toBe(1);
  const [row] = await bakery.rows();
  const api = context.sides.mainApiFor(row?.modern_client_id ?? '');
  const now = context.clock.now();
  const heard = { saidAt: now + 1, validUntil: now + 60_000, pausedUntil: 0 };
  api.learn({ ...api.budget(), ...heard, share: 0.01 });
  await bakery.lookAfter(50_000);
  expect(requests() - first).toBe(1);
  api.learn({ ...api.budget(), ...heard, saidAt: now + 2, share: 1 });
  await bakery.lookAfter(0);
  expect(requests() - first).toBe(2);
});

test('the looks of the job go on after a fault of the storage, and end with the age of the write', async () => {
  const { durable } = bakery.system.bridge.context.store;
  await lose(1);
  await sql`create trigger no_looks before update of looks on post_writes begin select raise(abort, 'no looks'); end`.execute(
    durable,
  );
  await bakery.lookAfter(15_000);
  expect(await bakery.rows()).toMatchObject([{ state: 'in_doubt', next_look_at: 0 }]);
  await bakery.lookAfter(DAY);
  expect(await bakery.rows()).toMatchObject([{ state: 'in_doubt', next_look_at: null }]);
  await sql`drop trigger no_looks`.execute(durable);
});

/** What the new API says of its budget. */
const BUDGET = {
  ratelimit: '"1000-in-15min";r=900;t=600',
  'ratelimit-policy': '"1000-in-15min";q=1000;w=900',
};

/** How many requests count as the app's. */
async function taken(): Promise<number> {
  const { context } = bakery.system.bridge;
  const { client_id: clientId } = await context.store.durable
    .selectFrom('mappings')
    .select('client_id')
    .executeTakeFirstOrThrow();
  const [window] = windowsTakenBy(context, { modernClientId: context.server.clientId, clientId });
  return window?.count ?? 0;
}

const IN_ONE_REQUEST = 28;

const MAKE = `mutation Make($input: CreatePostInput!) { ${Array.from(
  { length: IN_ONE_REQUEST },
  (_, at) => `made${at}: createPost(input: $input) { ... on PostActionSuccess { post { id } } }`,
).join(' ')} }`;

/** Makes posts at the new API itself, many in one request: a slow machine would make the first of them too old for a look. */
async function makeMany(): Promise<void> {
  const { bridge, proxy } = bakery.system;
  const accessToken = await aLiveAccessToken(bridge.context);
  const post = { channelId: CHANNELS.twitter, schedulingType: 'automatic', mode: 'addToQueue' };
  const body = { query: MAKE, variables: { input: { ...post, text: 'Before' } } };
  const { data = {} } = (await ask(proxy.origin, accessToken, body)) as {
    data?: Record<string, { post?: object }>;
  };
  expect(Object.values(data).filter((made) => made.post)).toHaveLength(IN_ONE_REQUEST);
}

test('a lost post is found among more posts of its channel than one page of the new API has', async () => {
  for (let times = 0; times < 2; times += 1) await makeMany();
  bakery.system.proxy.onOtherAnswer = (request, answer) =>
    isWrite(request) ? cut() : { ...answer, headers: { ...answer.headers, ...BUDGET } };
  await bakery.create('Tells of the budget');
  const [sentBefore, takenBefore] = [requests(), await taken()];
  const answer = await bakery.create('The last of them');
  bakery.mend();
  expect(requests() - sentBefore).toBeGreaterThan(2);
  expect((await taken()) - takenBefore).toBe(requests() - sentBefore);
  const [post] = await bakery.made('The last of them');
  expect(answer.json).toMatchObject({ success: true, updates: [{ id: post?.id }] });
  expect((await bakery.rows()).at(-1)).toMatchObject({ state: 'found', post_id: post?.id, looks: 1 });
});
