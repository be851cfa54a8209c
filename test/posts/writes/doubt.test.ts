import { retireApp } from '../../../src/domain/apps/retire-app.ts';
import { accessTokenFor } from '../../../src/domain/grants/refresh/access-token.ts';
import { settleWrites } from '../../../src/domain/posts/writes/settle-writes.ts';
import type { Answer } from '../../support/servers/forward.ts';
import { until } from '../../support/servers/held-answer.ts';
import { type Bakery, cut, isWrite, openBakery, said, written } from '../support/bakery.ts';
import { CHANNELS } from '../support/posts.ts';

/** What a caller is told when the answer to its create is lost, what is really there then, and what the journal says. */

let bakery: Bakery;
let count = 0;
let text: string;
/** How many rows the journal had before the test. */
let before: number;

beforeAll(async () => {
  bakery = await openBakery();
});

afterAll(() => bakery.system.stop());

beforeEach(async () => {
  count += 1;
  text = `Loaf ${count}`;
  before = (await bakery.rows()).length;
});

afterEach(() => bakery.mend());

const newRows = async () => (await bakery.rows()).slice(before);

const states = async () => (await newRows()).map(({ state }) => state);

const MAY = /may have been posted/;

test.each<[string, (answer: Answer) => Answer]>([
  ['is cut off', cut],
  ['comes half', (answer) => ({ ...answer, body: answer.body.subarray(0, answer.body.length / 2) })],
  ['is empty', () => said(200, '')],
  ['is a page of a gateway', () => said(502, '<h1>Bad Gateway</h1>', { 'content-type': 'text/html' })],
  ['is a 401 of a gateway', () => said(401, '<h1>Unauthorized</h1>', { 'content-type': 'text/html' })],
  ['has no post', () => written({ __typename: 'PostActionSuccess', post: null })],
  ['is an error that the post contradicts', () => written({ __typename: 'UnexpectedError', message: 'x' })],
  [
    'is an error below the post',
    () =>
      said(200, {
        data: null,
        errors: [{ message: 'x', path: ['written', 'post', 'channel'], extensions: { code: 'NOT_FOUND' } }],
      }),
  ],
  [
    'is an error of the new API',
    () => said(200, { data: null, errors: [{ message: 'x', extensions: { code: 'UNEXPECTED' } }] }),
  ],
])('a post whose answer %s is found and told', async (_, fault) => {
  bakery.onWrites(1, fault);
  const answer = await bakery.create(text);
  const [post, ...others] = await bakery.made(text);
  expect(others).toEqual([]);
  expect(answer.status).toBe(200);
  expect(answer.json.updates).toMatchObject([{ id: post?.id }]);
  expect(await newRows()).toMatchObject([{ state: 'found', post_id: post?.id, looks: 1 }]);
});

test('a create that the new API never heard of is in doubt for its caller, and given up after ten minutes', async () => {
  const { system } = bakery;
  const requests = system.proxy.readings().length;
  bakery.cutBefore(1);
  const answer = await bakery.create(text);
  expect(system.proxy.readings().length - requests).toBe(3);
  expect(answer.status).toBe(500);
  expect(answer.json).toEqual({
    success: false,
    error: expect.stringMatching(MAY),
    message: answer.json.error,
    code: 1000,
    link: `${system.bridgeUrl}/apps/${system.app.clientId}`,
  });
  expect(await states()).toEqual(['in_doubt']);
  await bakery.lookAfter(11 * 60_000);
  await until(async () => (await states())[0] === 'not_found');
  expect(await bakery.made(text)).toEqual([]);
});

/** A create whose answer is lost, and whose post no list shows: an error takes each list away. */
async function createUnseen(): Promise<void> {
  bakery.onWrites(1, cut);
  const posts = { edges: null, pageInfo: { endCursor: null, hasNextPage: false } };
  const errors = [{ message: 'x', path: ['posts', 'edges', 0, 'node', 'assets'] }];
  bakery.system.proxy.insteadOfOther = (call) =>
    isWrite(call) ? undefined : said(200, { data: { posts }, errors });
  expect((await bakery.create(text)).json.message).toMatch(MAY);
}

test('a write in doubt is looked for also while its app is retired', async () => {
  const { app, bridge } = bakery.system;
  await createUnseen();
  bakery.mend();
  const by = { reason: 'a slip', actor: 'command', requestId: null };
  await retireApp(bridge.context, { clientId: app.clientId, ...by });
  await bakery.lookAfter(15_000);
  // The job of the bridge may have taken the look.
  await until(async () => (await states())[0] === 'found');
  await bridge.context.store.durable.updateTable('apps').set({ retired_at: null }).execute();
});

test('a look whose list an error took away gives up no write', async () => {
  await createUnseen();
  await bakery.lookAfter(11 * 60_000);
  expect(await states()).toEqual(['in_doubt']);
});

test('a post that comes to light late is found by a later look', async () => {
  const { system } = bakery;
  const { context } = system.bridge;
  let lost = '';
  system.proxy.onOtherCall = async (call) => {
    if (!isWrite(call)) return;
    lost = call.body;
    cut();
  };
  expect((await bakery.create(text)).json.message).toMatch(MAY);
  bakery.mend();
  const { id } = await context.store.durable.selectFrom('grants').select('id').executeTakeFirstOrThrow();
  const { accessToken } = await accessTokenFor(context, { id });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` };
  await fetch(system.proxy.origin, { method: 'POST', headers, body: lost });
  await bakery.lookAfter(15_000);
  await until(async () => (await states())[0] === 'found');
  expect(await newRows()).toMatchObject([{ post_id: (await bakery.made(text))[0]?.id }]);
});

test('of two equal creates at once whose answers are lost nobody knows which one was made', async () => {
  let writes = 0;
  bakery.system.proxy.onOtherCall = async (call) => {
    if (!isWrite(call)) return;
    writes += 1;
    if (writes === 1) cut();
  };
  bakery.onWrites(2, cut);
  const answers = await Promise.all([bakery.create(text), bakery.create(text)]);
  expect(answers.map(({ status, json }) => [status, MAY.test(json.message)])).toEqual([
    [500, true],
    [500, true],
  ]);
  expect(await states()).toEqual(['in_doubt', 'in_doubt']);
  expect(await bakery.made(text)).toHaveLength(1);
});

test('of two equal creates at once that were both made each finds a post of its own', async () => {
  bakery.onWrites(2, cut);
  const answers = await Promise.all([bakery.create(text), bakery.create(text)]);
  const ids = new Set((await bakery.made(text)).map(({ id }) => id));
  expect(ids.size).toBe(2);
  expect(new Set(answers.map(({ json }) => json.updates?.[0]?.id))).toEqual(ids);
  expect(new Set((await newRows()).map(({ post_id: id }) => id))).toEqual(ids);
});

test('an equal post that another create made is not taken for the lost one', async () => {
  const first = await bakery.create(text);
  bakery.cutBefore(1);
  const second = await bakery.create(text);
  expect([first.status, second.status]).toEqual([200, 500]);
  expect(await states()).toEqual(['done', 'in_doubt']);
});

test('one lost post of several is told beside those that were made', async () => {
  let left = 1;
  bakery.system.proxy.onOtherCall = async (call) => {
    if (!isWrite(call) || !call.body.includes(CHANNELS.threads) || left <= 0) return;
    left -= 1;
    cut();
  };
  const { status, json } = await bakery.create(text, [CHANNELS.twitter, CHANNELS.threads]);
  expect([status, json.success, json.updates?.length]).toEqual([200, true, 1]);
  expect(json.message).toMatch(
    /^The update was added to the queue for 1 of 2 profiles\. .*may have been posted/,
  );
  expect((await bakery.made(text)).map(({ channelId }) => channelId)).toEqual([CHANNELS.twitter]);
});

test('an error of the new API of which nothing is to be seen stays in doubt', async () => {
  bakery.instead(written({ __typename: 'UnexpectedError', message: 'Something burned' }));
  const answer = await bakery.create(text);
  expect([answer.status, answer.json.code]).toEqual([500, 1000]);
  expect(answer.json.message).toMatch(MAY);
  expect(await states()).toEqual(['in_doubt']);
});

/** Makes a post that no row of the journal knows. */
async function makeUnknown(fields: ReadonlyArray<[string, string]>): Promise<void> {
  const answer = await bakery.post('updates/create', [['profile_ids[]', CHANNELS.twitter], ...fields]);
  expect(answer.status).toBe(200);
  const { durable } = bakery.system.bridge.context.store;
  await durable
    .deleteFrom('post_writes')
    .where('post_id', '=', answer.json.updates?.[0]?.id ?? '')
    .execute();
}

test('a draft of the same text is not taken for a lost post of the queue', async () => {
  await makeUnknown([
    ['text', text],
    ['is_draft', 'true'],
  ]);
  bakery.cutBefore(1);
  expect((await bakery.create(text)).json.message).toMatch(MAY);
  expect(await states()).toEqual(['in_doubt']);
});

test('a lost draft is found', async () => {
  bakery.onWrites(1, cut);
  const fields: Array<[string, string]> = [
    ['profile_ids[]', CHANNELS.twitter],
    ['text', text],
    ['is_draft', 'true'],
  ];
  expect((await bakery.post('updates/create', fields)).status).toBe(200);
  expect(await states()).toEqual(['found']);
});

const photo = (name: string): [string, string] => ['media[photo]', `https://images.example/${name}.png`];

test('another picture without words is not taken for the lost one, at once or later', async () => {
  await makeUnknown([photo(`other${count}`)]);
  bakery.cutBefore(1);
  const fields: Array<[string, string]> = [['profile_ids[]', CHANNELS.twitter], photo(`mine${count}`)];
  expect((await bakery.post('updates/create', fields)).json.message).toMatch(MAY);
  await bakery.lookAfter(0);
  expect(await states()).toEqual(['in_doubt']);
});

test('another picture beside the same words is not taken for the lost one while its caller waits', async () => {
  await makeUnknown([['text', text], photo('other')]);
  bakery.cutBefore(1);
  const fields: Array<[string, string]> = [
    ['profile_ids[]', CHANNELS.twitter],
    ['text', text],
    photo('mine'),
  ];
  expect((await bakery.post('updates/create', fields)).json.message).toMatch(MAY);
});

test('a lost picture is found while its caller waits', async () => {
  bakery.onWrites(1, cut);
  const fields: Array<[string, string]> = [['profile_ids[]', CHANNELS.threads], photo(`mine${count}`)];
  expect((await bakery.post('updates/create', fields)).status).toBe(200);
});

test.each<[string, RegExp, string]>([
  ['made on the pages of the new API', /"via":"api"/g, '"via":"buffer"'],
  ['of another account', /"author":\{"id":"[^"]+"/g, '"author":{"id":"somebody"'],
])('an equal post %s is not taken for the lost one', async (_, shown, other) => {
  bakery.system.proxy.onOtherAnswer = (call, answer) => {
    if (isWrite(call)) return cut();
    const body = answer.body.toString();
    expect(body).toMatch(shown);
    return { ...answer, body: Buffer.from(body.replace(shown, other)) };
  };
  expect((await bakery.create(text)).json.message).toMatch(MAY);
  expect(await states()).toEqual(['in_doubt']);
});

test('an equal post that is made long after the lost write is not taken for it', async () => {
  bakery.cutBefore(1);
  await bakery.create(text);
  bakery.mend();
  await makeUnknown([['text', text]]);
  await bakery.lookAfter(60_000);
  expect(await states()).toEqual(['in_doubt']);
});

test('a caller that waits is told what the job has found meanwhile', async () => {
  const { proxy, bridge } = bakery.system;
  bakery.onWrites(1, cut);
  let looks = 0;
  proxy.insteadOfOther = (call) => {
    if (isWrite(call)) return undefined;
    looks += 1;
    return looks === 1 ? said(200, { data: { posts: { edges: [] } } }) : undefined;
  };
  const creating = bakery.create(text);
  await until(() => looks > 0);
  await until(async () => {
    await bridge.context.store.durable.updateTable('post_writes').set({ next_look_at: 0 }).execute();
    await settleWrites(bridge.context);
    return (await states())[0] === 'found';
  });
  const answer = await creating;
  expect([answer.status, answer.json.updates?.length]).toEqual([200, 1]);
});
