import { issueToken } from '../../support/callers/legacy-calls.ts';
import {
  json,
  multipart,
  type RawAnswer,
  type RawRequest,
  rawForm,
  sendRaw,
} from '../../support/callers/raw-request.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { withScope } from '../support/bakery.ts';
import { BAKERY, CHANNELS, type RealPost, realPosts, RUNNERS } from '../support/posts.ts';

/** POST /1/updates/create.json of a token that the bridge issued, over the whole system. */

interface Created {
  success: boolean;
  message: string;
  error?: string;
  code?: number;
  link?: string;
  updates?: Array<Record<string, unknown>>;
}

type Body = Pick<RawRequest, 'headers' | 'body'>;

let system: System;
let token: string;
let began: number;

beforeAll(async () => {
  system = await startSystem({ env: { LEGACY_RATE_LIMIT: '0' } });
  token = await issueToken(system);
});

afterAll(() => system.stop());

beforeEach(() => {
  began = Date.now();
});

async function send(request: Partial<RawRequest>): Promise<RawAnswer & { json: Created }> {
  const answer = await sendRaw(system.bridgeUrl, {
    method: 'POST',
    path: '/1/updates/create.json',
    ...request,
  });
  return { ...answer, json: answer.json as Created };
}

const create = (body: Body) =>
  send({ ...body, headers: { ...body.headers, authorization: `Bearer ${token}` } });

const form = (text: string) => rawForm(text.replaceAll('[', '%5B').replaceAll(']', '%5D'));

const toTwitter = (text: string) => create(form(`profile_ids[]=${CHANNELS.twitter}&${text}`));

/** In Unix seconds. */
const tomorrow = () => Math.floor(Date.now() / 1000) + 86_400;

/** The posts that were really made since the test began. */
async function made(organizationId = BAKERY): Promise<RealPost[]> {
  const { context } = system.bridge;
  return realPosts(context, { apiUrl: system.proxy.origin, since: began, organizationId });
}

test('a form makes one post in the queue and is answered with its old update object', async () => {
  const answer = await toTwitter('text=Fresh+bread');
  const [post, ...others] = await made();
  expect(others).toEqual([]);
  expect(post).toMatchObject({ text: 'Fresh bread', status: 'scheduled', channelId: CHANNELS.twitter });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json;charset=UTF-8');
  expect(Object.keys(answer.json)).toEqual(['success', 'message', 'updates']);
  expect(answer.json).toMatchObject({
    success: true,
    message: 'The update was added to the queue.',
    updates: [
      {
        id: post?.id,
        profile_id: CHANNELS.twitter,
        status: 'buffer',
        text: 'Fresh bread',
        due_at: Math.floor(Date.parse(post?.dueAt ?? '') / 1000),
      },
    ],
  });
});

test.each([
  ['multipart', multipart({ 'profile_ids[]': CHANNELS.twitter, text: 'Bread' })],
  [
    'JSON',
    json({ profile_ids: [CHANNELS.twitter], text: 'Bread', media: {}, now: false, scheduled_at: null }),
  ],
  ['JSON whose list has the name of a form', json({ 'profile_ids[]': [CHANNELS.twitter], text: 'Bread' })],
  ['a form with an index', form(`profile_ids[0]=${CHANNELS.twitter}&text=Bread&`)],
  ['a form with a bare name', form(`profile_ids=${CHANNELS.twitter}&text=Bread`)],
])('%s makes the same post', async (_, body) => {
  const { json: answer } = await create(body);
  expect(answer.updates).toHaveLength(1);
  expect(await made()).toMatchObject([{ text: 'Bread' }]);
});

test('nested JSON and its numbers mean what a form does', async () => {
  const at = tomorrow();
  await create(
    json({
      profile_ids: [CHANNELS.instagram],
      text: 'Bread',
      scheduled_at: at,
      media: { photo: 'https://images.example/bread.png', title: 'T' },
    }),
  );
  expect(await made()).toMatchObject([
    {
      shareMode: 'customScheduled',
      dueAt: new Date(at * 1000).toISOString(),
      assets: [{ source: 'https://images.example/bread.png' }],
    },
  ]);
});

test('the token may stand in the query or the body, and the parameters in the query', async () => {
  await send({ ...form(`access_token=${token}&profile_ids[]=${CHANNELS.twitter}&text=One`) });
  const path = `/1/updates/create.json?access_token=${token}&text=Two&profile_ids[]=${CHANNELS.twitter}`;
  await send({ path, ...rawForm('') });
  expect((await made()).map(({ text }) => text).toSorted()).toEqual(['One', 'Two']);
});

test('now, top, a time and a draft are what they were', async () => {
  const answers = [
    await toTwitter('text=Now&now=true'),
    await toTwitter('text=Top&top=true'),
    await toTwitter('text=Timed&scheduled_at=2099-01-01'),
    await toTwitter('text=Draft&is_draft=true'),
  ];
  expect(answers.map(({ json: { message } }) => message)).toEqual([
    'The update was shared.',
    'The update was added to the queue.',
    'Invalid post: scheduled_at must lie within the next two years.',
    'The update was saved as a draft.',
  ]);
  expect(answers.map(({ json: { updates } }) => updates?.[0]?.['status'])).toEqual([
    'sent',
    'buffer',
    undefined,
    'draft',
  ]);
});

test('a time that a draft does not keep is told', async () => {
  const { json: answer } = await toTwitter(`text=Draft&is_draft=true&scheduled_at=${tomorrow()}`);
  expect(answer.message).toMatch(
    /^The update was saved as a draft\. .*scheduled_at, for a draft has no time\.$/,
  );
  expect(await made()).toMatchObject([{ status: 'draft', dueAt: null }]);
  const timed = await toTwitter(`text=Timed&is_draft=false&scheduled_at=${tomorrow()}`);
  expect(timed.json.message).not.toContain('a draft');
});

test('each of several profiles gets one post; ids that name none are ignored', async () => {
  const ids = [CHANNELS.twitter, CHANNELS.threads, CHANNELS.twitter, CHANNELS.ofAnother, 'nobody'];
  const { json: answer } = await create(
    form(`${ids.map((id) => `profile_ids[]=${id}`).join('&')}&text=Both`),
  );
  expect(answer.message).toBe('The update was added to the queue for 2 of 2 profiles.');
  expect(answer.updates?.map((update) => update['profile_id'])).toEqual([CHANNELS.twitter, CHANNELS.threads]);
  expect((await made()).map(({ channelId }) => channelId).toSorted()).toEqual([
    CHANNELS.twitter,
    CHANNELS.threads,
  ]);
});

test('what a profile refuses is named, beside what was posted to the others', async () => {
  const ids = [CHANNELS.twitter, CHANNELS.disconnected, CHANNELS.pinterest, CHANNELS.youtube];
  const { status, json: answer } = await create(
    form(`${ids.map((id) => `profile_ids[]=${id}`).join('&')}&text=Some`),
  );
  expect(status).toBe(200);
  expect(answer.success).toBe(true);
  expect(answer.updates).toHaveLength(1);
  expect(answer.message).toMatch(/^The update was added to the queue for 1 of 4 profiles\./);
  expect(answer.message).toContain('The channel is disconnected.');
  expect(answer.message).toContain('a post for Pinterest needs a board');
  expect(answer.message).toContain('A YouTube profile cannot be posted to from here');
  expect(answer.message).toContain('It can be saved as a draft (is_draft)');
  expect(await made()).toHaveLength(1);
});

test('a retweet is left out for profiles of other networks, as in the old API', async () => {
  const ids = [CHANNELS.twitter, CHANNELS.threads].map((id) => `profile_ids[]=${id}`).join('&');
  const { json: answer } = await create(form(`${ids}&text=Bread&retweet[tweet_id]=7`));
  expect(answer.message).toMatch(
    /^The update was added to the queue for 2 of 2 profiles\. Left out for .*: retweet, which is for/,
  );
  expect((await made()).map(({ channelId }) => channelId).toSorted()).toEqual([
    CHANNELS.twitter,
    CHANNELS.threads,
  ]);
  const alone = await create(form(`profile_ids[]=${CHANNELS.threads}&retweet[tweet_id]=7`));
  expect([alone.status, alone.json.success]).toEqual([400, false]);
});

test('a paused queue and a link without a place are told', async () => {
  const { json: answer } = await create(
    form(`profile_ids[]=${CHANNELS.paused}&text=Wait&media[link]=https://shop.example/`),
  );
  expect(answer.message).toMatch(/^The update was added to the queue\. The queue of .* is paused/);
  expect(answer.message).toContain('the link https://shop.example/');
  expect(await made(RUNNERS)).toHaveLength(1);
});

test.each([
  ['text=x', 400, 1004, 'profile_ids'],
  ['profile_ids[]=nobody&text=x', 403, 1011, 'profile_ids'],
  [`profile_ids[]=${CHANNELS.ofAnother}&text=x`, 403, 1011, 'profile_ids'],
  [`profile_ids[]=${CHANNELS.twitter}`, 400, 1004, 'text'],
  [`profile_ids[]=${CHANNELS.twitter}&text=x&scheduled_at=2001-01-01`, 400, 1034, 'scheduled_at'],
  [`profile_ids[]=${CHANNELS.twitter}&text=x&now=perhaps`, 400, 1006, 'now'],
  [`profile_ids[]=${CHANNELS.twitter}&text=x&media[photo]=file:///etc/passwd`, 400, 1006, 'media[photo]'],
  [`profile_ids[]=${CHANNELS.disconnected}&text=x`, 403, 1011, 'disconnected'],
  [`profile_ids[]=${CHANNELS.locked}&text=x`, 403, 1011, 'locked'],
  [`profile_ids[]=${CHANNELS.tiktok}&text=x`, 400, 1004, 'image or video'],
])('%s is refused', async (text, status, code, words) => {
  const answer = await create(form(text));
  expect(answer.status).toBe(status);
  expect(answer.json).toEqual({
    success: false,
    error: expect.stringContaining(words),
    message: answer.json.error,
    code,
    link: `${system.bridgeUrl}/lifecycle`,
  });
  expect(await made()).toEqual([]);
});

test.each([300, 10_001])(
  'a text of %i characters is too long, with the code of the old API',
  async (length) => {
    const answer = await create(form(`profile_ids[]=${CHANNELS.twitter}&text=${'x'.repeat(length)}`));
    expect([answer.status, answer.json.code]).toEqual([400, 1004]);
  },
);

test('a body that cannot be read is refused', async () => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const broken = await send({ headers, body: '{"text":' });
  expect([broken.status, broken.json.code, broken.json.success]).toEqual([400, 400, false]);
  expect(await made()).toEqual([]);
});

test('without posts:write nothing is sent, and the way to more rights is told', async () => {
  const before = system.proxy.readings().length;
  const answer = await withScope(system, 'account:read offline_access', () => toTwitter('text=x'));
  expect(system.proxy.readings()).toHaveLength(before);
  expect(answer.status).toBe(403);
  expect(answer.json).toMatchObject({
    success: false,
    code: 1002,
    error: 'Not within application scope.',
    reauthorize: { link: `${system.bridgeUrl}/apps/${system.app.clientId}` },
  });
});

test('one create to one profile costs one request once the account is known', async () => {
  const before = system.proxy.readings().length;
  await toTwitter('text=Once');
  expect(system.proxy.readings()).toHaveLength(before + 1);
});

test('the journal says who wrote, when and with which outcome, and nothing of the text', async () => {
  const secret = 'Nobody may read this sentence in a database';
  const { json: answer } = await toTwitter(`text=${encodeURIComponent(secret)}`);
  const rows = await system.bridge.context.store.durable.selectFrom('post_writes').selectAll().execute();
  const [row] = rows.filter(({ post_id: id }) => id === answer.updates?.[0]?.['id']);
  expect(row).toMatchObject({ call: 'create', state: 'done', channel_id: CHANNELS.twitter, refusal: null });
  expect(JSON.stringify(rows)).not.toContain('Nobody may');
});

test('who has posted sees the post in the list at once, and how many wait there', async () => {
  const path = `/1/profiles/${CHANNELS.twitter}/updates/pending.json?count=100`;
  const headers = { authorization: `Bearer ${token}` };
  const list = async () =>
    (await sendRaw(system.bridgeUrl, { path, headers })).json as {
      total: number;
      updates: Array<{ id: string }>;
    };
  const before = await list();
  const { json: answer } = await toTwitter('text=Seen+at+once');
  const after = await list();
  expect(after.total).toBe(before.total + 1);
  expect(after.updates.map(({ id }) => id)).toContain(answer.updates?.[0]?.['id']);
  expect(answer).toMatchObject({ buffer_count: after.total });
});
