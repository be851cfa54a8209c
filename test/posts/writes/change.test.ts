import { sendRaw } from '../../support/callers/raw-request.ts';
import { type Bakery, cut, isWrite, openBakery } from '../support/bakery.ts';
import { BAKERY, CHANNELS, realPosts } from '../support/posts.ts';

/** The old calls that change one post: updates/:id/update, share and destroy. */

let bakery: Bakery;
let count = 0;
let text: string;
let id: string;

beforeAll(async () => {
  bakery = await openBakery();
});

afterAll(() => bakery.system.stop());

beforeEach(async () => {
  count += 1;
  text = `Cake ${count}`;
  id = (await bakery.create(text)).json.updates?.[0]?.id ?? '';
});

afterEach(() => bakery.mend());

const lastRow = async () => (await bakery.rows()).at(-1);

async function real() {
  const { context } = bakery.system.bridge;
  const options = { apiUrl: bakery.system.proxy.origin, since: 0, organizationId: BAKERY };
  return (await realPosts(context, options)).find((post) => post.id === id);
}

test('an update changes the text and keeps the time', async () => {
  const before = await real();
  const answer = await bakery.post(`updates/${id}/update`, [['text', `${text} with cream`]]);
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.json)).toEqual(['success', 'message', 'update']);
  expect(answer.json.update).toMatchObject({ id, text: `${text} with cream`, status: 'buffer' });
  expect(await real()).toMatchObject({ text: `${text} with cream`, dueAt: before?.dueAt });
  expect(await lastRow()).toMatchObject({ call: 'update', state: 'done', post_id: id });
});

test('an update of a queue whose length is known says the length, as long as it moves no post', async () => {
  const { bridgeUrl } = bakery.system;
  const path = `/1/profiles/${CHANNELS.twitter}/updates/pending.json?count=100`;
  const headers = { authorization: `Bearer ${bakery.token}` };
  const { total } = (await sendRaw(bridgeUrl, { path, headers })).json as { total: number };
  const changed = await bakery.post(`updates/${id}/update`, [['text', `${text} with cream`]]);
  expect(changed.json).toMatchObject({ success: true, buffer_count: total });
  const moved = await bakery.post(`updates/${id}/update`, [
    ['text', text],
    ['top', 'true'],
  ]);
  expect(moved.json.success).toBe(true);
  expect(moved.json).not.toHaveProperty('buffer_count');
});

test('an update takes a time, media, and the zone of its answer', async () => {
  const at = new Date(Date.now() + 86_400_000).toISOString().replace(/\d\d\.\d{3}Z/, '00.000Z');
  const answer = await bakery.post(`updates/${id}/update`, [
    ['text', text],
    ['scheduled_at', at],
    ['media[photo]', 'https://images.example/cake.png'],
    ['utc', 'true'],
  ]);
  expect(answer.json.update).toMatchObject({ due_at: Date.parse(at) / 1000 });
  expect(await real()).toMatchObject({ dueAt: at, assets: [{ source: 'https://images.example/cake.png' }] });
});

/** A post with media on a channel; its id. */
async function madeWith(channel: string, media: [string, string]): Promise<string> {
  const { json } = await bakery.post('updates/create', [['profile_ids[]', channel], ['text', text], media]);
  return json.updates?.[0]?.id ?? '';
}

test('a link that goes nowhere leaves the picture of a post alone', async () => {
  id = await madeWith(CHANNELS.twitter, ['media[photo]', 'https://images.example/cake.png']);
  const fields: Array<[string, string]> = [
    ['text', `${text} https://cakes.example`],
    ['media[link]', 'https://cakes.example'],
  ];
  expect((await bakery.post(`updates/${id}/update`, fields)).json.success).toBe(true);
  expect(await real()).toMatchObject({
    text: `${text} https://cakes.example`,
    assets: [{ source: 'https://images.example/cake.png' }],
  });
});

test('a picture takes the place of a link', async () => {
  id = await madeWith(CHANNELS.linkedin, ['media[link]', 'https://cakes.example']);
  const photo: [string, string] = ['media[photo]', 'https://images.example/cake.png'];
  const answer = await bakery.post(`updates/${id}/update`, [['text', text], photo]);
  expect([answer.status, answer.json.error]).toEqual([200, undefined]);
  const { media } = (answer.json.update ?? {}) as { media?: object };
  expect(media).toMatchObject({ picture: 'https://images.example/cake.png' });
  expect(media).not.toHaveProperty('link');
});

test('share publishes a post at once', async () => {
  const answer = await bakery.post(`updates/${id}/share`);
  expect([answer.status, answer.json]).toEqual([200, { success: true, message: 'The update was shared.' }]);
  expect(await real()).toMatchObject({ status: 'sent' });
  expect(await lastRow()).toMatchObject({ call: 'share', state: 'done', post_id: id });
});

/** Lets the new API answer the next write with another status and share mode. */
const endsAs = (status: string, shareMode: string) =>
  bakery.onWrites(1, (answer) => {
    const body = JSON.parse(answer.body.toString());
    Object.assign(body.data.written.post, { status, shareMode, sharedNow: shareMode === 'shareNow' });
    return { ...answer, body: Buffer.from(JSON.stringify(body)) };
  });

test.each([
  ['could not be sent', 'error', 'shareNow'],
  ['was saved and waits for approval', 'needs_approval', 'shareNow'],
  ['was added to the queue', 'scheduled', 'addToQueue'],
  ['was shared', 'sending', 'shareNow'],
])('a share says that the update %s', async (words, status, shareMode) => {
  endsAs(status, shareMode);
  const answer = await bakery.post(`updates/${id}/share`);
  expect([answer.status, answer.json]).toEqual([200, { success: true, message: `The update ${words}.` }]);
});

test('a create of a post that the new API could not send says so', async () => {
  endsAs('error', 'shareNow');
  const { message, updates } = (await bakery.create(`${text} again`)).json;
  expect(message).toMatch(/^The update was saved\. It could not be sent to .+ \(twitter\)\.$/);
  expect(updates).toMatchObject([{ status: 'error' }]);
});

test('destroy deletes a post, and a second one says that there is none', async () => {
  const first = await bakery.post(`updates/${id}/destroy`);
  expect([first.status, first.json.success]).toEqual([200, true]);
  expect(await real()).toBeUndefined();
  const second = await bakery.post(`updates/${id}/destroy`);
  expect([second.status, second.json.success, second.json.code]).toEqual([404, false, 1020]);
});

test.each([
  ['move_to_top', 'null'],
  ['share', 'false'],
  ['destroy', '""'],
])('%s takes the JSON body %s for an empty one', async (call, body) => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${bakery.token}` };
  const request = { method: 'POST', path: `/1/updates/${id}/${call}.json`, headers, body };
  expect((await sendRaw(bakery.system.bridgeUrl, request)).status).toBe(200);
  expect(await lastRow()).toMatchObject({ call, state: 'done', post_id: id });
});

test('move_to_top makes a post the first of its queue and answers with the update itself', async () => {
  const answer = await bakery.post(`updates/${id}/move_to_top`);
  expect(answer.status).toBe(200);
  expect(answer.json).toMatchObject({ id, _id: id, text, status: 'buffer' });
  const { context } = bakery.system.bridge;
  const options = { apiUrl: bakery.system.proxy.origin, since: 0, organizationId: BAKERY };
  const queue = (await realPosts(context, options)).filter(
    (post) => post.status === 'scheduled' && post.channelId === CHANNELS.twitter,
  );
  const [first] = queue.toSorted((one, other) => (one.dueAt ?? '').localeCompare(other.dueAt ?? ''));
  expect(first?.id).toBe(id);
  expect(await lastRow()).toMatchObject({ call: 'move_to_top', state: 'done', post_id: id });
});

test('a move whose answer is lost stays in doubt, for nothing shows it', async () => {
  bakery.onWrites(1, cut);
  const answer = await bakery.post(`updates/${id}/move_to_top`);
  expect([answer.status, answer.json.code]).toEqual([500, 1000]);
  expect(answer.json.error).toMatch(/may have been moved/);
  expect(await lastRow()).toMatchObject({ call: 'move_to_top', state: 'in_doubt' });
});

test.each([
  ['update', [['text', 'x']]],
  ['share', []],
  ['destroy', []],
  ['move_to_top', []],
] as Array<[string, Array<[string, string]>]>)(
  '%s of no such post is a 404 with code 1020',
  async (call, fields) => {
    for (const unknown of ['5e1f0c9a7b3d4e2f8a6cffff', 'nobody']) {
      const answer = await bakery.post(`updates/${unknown}/${call}`, fields);
      expect([answer.status, answer.json.success, answer.json.code]).toEqual([404, false, 1020]);
      expect(answer.json.error).toBe(answer.json.message);
    }
  },
);

test('an update without a text is refused, and nothing is sent', async () => {
  const rows = (await bakery.rows()).length;
  const answer = await bakery.post(`updates/${id}/update`, [['now', 'true']]);
  expect([answer.status, answer.json.code, answer.json.error]).toEqual([
    400,
    1004,
    'The parameter text is missing.',
  ]);
  expect(await bakery.rows()).toHaveLength(rows);
});

test.each([
  ['update', [['text', 'Lost and found']]],
  ['share', []],
] as Array<[string, Array<[string, string]>]>)(
  '%s whose answer is lost is looked for and told',
  async (call, fields) => {
    bakery.onWrites(1, cut);
    const answer = await bakery.post(`updates/${id}/${call}`, fields);
    expect([answer.status, answer.json.success]).toEqual([200, true]);
    expect(await lastRow()).toMatchObject({ call, state: 'found', post_id: id });
  },
);

test.each([
  ['update', [['text', 'Never there']], /may have been changed/],
  ['share', [], /may have been posted/],
  ['destroy', [], /may have been deleted/],
] as Array<[string, Array<[string, string]>, RegExp]>)(
  '%s that the new API never heard of is in doubt',
  async (call, fields, words) => {
    bakery.cutBefore(1);
    const answer = await bakery.post(`updates/${id}/${call}`, fields);
    expect([answer.status, answer.json.success, answer.json.code]).toEqual([500, false, 1000]);
    expect(answer.json.error).toMatch(words);
    expect(await lastRow()).toMatchObject({ call, state: 'in_doubt' });
    expect(await real()).toMatchObject({ text, status: 'scheduled', channelId: CHANNELS.twitter });
  },
);

test('a destroy whose answer is lost says that there is no such update, whether or not there was one', async () => {
  for (const [gone, lose] of [
    [id, () => bakery.onWrites(1, cut)],
    ['5e1f0c9a7b3d4e2f8a6cffff', () => bakery.cutBefore(1)],
  ] as const) {
    lose();
    const answer = await bakery.post(`updates/${gone}/destroy`);
    expect([answer.status, answer.json.success, answer.json.code]).toEqual([404, false, 1020]);
    expect(await lastRow()).toMatchObject({ call: 'destroy', state: 'in_doubt', next_look_at: null });
    bakery.mend();
  }
  expect(await real()).toBeUndefined();
});

/** Lets the write that is under way come a minute after everything else. */
async function sendLater(): Promise<void> {
  const { context } = bakery.system.bridge;
  await context.store.durable
    .updateTable('post_writes')
    .set((eb) => ({ sent_at: eb('sent_at', '+', 60_000) }))
    .where('state', 'in', ['sending', 'in_doubt'])
    .execute();
}

test.each<[string, () => Array<[string, string]>]>([
  [
    'the text that it has and now',
    () => [
      ['text', text],
      ['now', 'true'],
    ],
  ],
  [
    'the text that it has and top',
    () => [
      ['text', text],
      ['top', 'true'],
    ],
  ],
  [
    'the text that it has and a picture',
    () => [
      ['text', text],
      ['media[photo]', 'https://images.example/a.png'],
    ],
  ],
])('a lost update with %s is in doubt, for the post looks as it did before', async (_, fields) => {
  bakery.cutBefore(1);
  const answer = await bakery.post(`updates/${id}/update`, fields());
  expect([answer.status, answer.json.code]).toEqual([500, 1000]);
  await bakery.lookAfter(11 * 60_000);
  expect(await lastRow()).toMatchObject({ call: 'update', state: 'in_doubt', next_look_at: null });
});

test('a lost update to the text that a post had long before is not taken for done', async () => {
  bakery.system.proxy.onOtherCall = async (call) => {
    if (!isWrite(call)) return;
    await sendLater();
    cut();
  };
  const answer = await bakery.post(`updates/${id}/update`, [['text', text]]);
  expect([answer.status, answer.json.code]).toEqual([500, 1000]);
  expect(await lastRow()).toMatchObject({ call: 'update', state: 'in_doubt' });
});
