import { SERVED_HERE } from '../../../src/store/usage/last-use.ts';
import { type Door, openDoor } from '../../endpoints/support/door.ts';
import { expectChallenge, expectInvalidToken, expectRefusal } from '../../endpoints/support/expectations.ts';
import { expectAlive, knock } from '../../endpoints/support/knock.ts';
import { testInProcess } from '../../support/jest/test-mode.ts';
import { connectReader, isoIn, LINKEDIN, type Reader, CHANNEL, TWITTER } from '../support/reader.ts';

/** One post by its id, answered by the new API. */

let door: Door;
let reader: Reader;

beforeAll(async () => {
  door = await openDoor({ env: { PROFILES_FRESH_SECONDS: '0' } });
  reader = await connectReader(door);
});

afterAll(async () => {
  await expectAlive(door);
  await door.stop();
});

const get = (id: string, query = '') => reader.get(`/1/updates/${id}.json${query}`);

/** The last Sunday of the next year's March, on which clocks go forward in Europe at one o'clock UTC. */
function springSunday(): { date: string; day: string } {
  const year = new Date().getUTCFullYear() + 1;
  const last = new Date(Date.UTC(year, 2, 31));
  const number = 31 - last.getUTCDay();
  return { date: `${year}-03-${number}`, day: `Sunday ${number}${number === 31 ? 'st' : 'th'} March` };
}

test('a scheduled post is the update itself, without an envelope', async () => {
  const { date, day } = springSunday();
  const dueAt = `${date}T00:59:00.000Z`;
  const id = await reader.create({
    text: 'Rolls & more https://bakery.example/rolls.',
    mode: 'customScheduled',
    dueAt,
  });
  const { status, json } = await get(id);
  expect([status, json]).toEqual([
    200,
    {
      _id: id,
      id,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
      day,
      due_at: Date.parse(dueAt) / 1000,
      due_time: '1:59 am',
      profile_id: CHANNEL,
      profile_service: 'threads',
      scheduled_at: Date.parse(dueAt) / 1000,
      shared_now: false,
      status: 'buffer',
      text: 'Rolls & more https://bakery.example/rolls.',
      text_formatted:
        'Rolls &amp; more <a class="url" href="https://bakery.example/rolls" rel="external nofollow" target="_blank">https://bakery.example/rolls</a>.',
      type: 'link',
      user_id: await userId(),
      via: 'api',
    },
  ]);
  const inUtc = { day, due_time: '12:59 am' };
  expect((await get(id, '?utc=1')).json).toEqual({ ...(json as object), ...inUtc });
  expect((await get(id.toUpperCase())).status).toBe(404);
});

async function userId(): Promise<string> {
  const { json } = await reader.get('/1/user.json');
  return (json as { id: string }).id;
}

test('only a post with a time of its own has scheduled_at, by its id and in its list', async () => {
  const timed = await reader.create({ mode: 'customScheduled', dueAt: isoIn(86_400_000) });
  const queued = await reader.create();
  const { updates } = await reader.list('pending.json?count=100');
  const [listed, waiting] = [timed, queued].map((id) => updates.find((one) => one.id === id));
  expect(listed).toMatchObject({ due_at: expect.any(Number), scheduled_at: listed?.due_at });
  expect((await get(timed)).json).toEqual(listed);
  expect(waiting).toMatchObject({ due_at: expect.any(Number) });
  expect(waiting).not.toHaveProperty('scheduled_at');
});

test('a tweet has its hashtags and names as the links that the old API made', async () => {
  const id = await reader.create({ channelId: TWITTER, text: '#Rye by @ay8s' });
  const { json } = await get(id);
  expect(json).toMatchObject({
    text_formatted:
      '<a href="https://twitter.com/#!/search?q=%23Rye" title="#Rye" class="hashtag" rel="external nofollow" target="_blank">#Rye</a> by @<a class="username" href="https://twitter.com/ay8s" rel="external nofollow" target="_blank">ay8s</a>',
  });
});

test('a post that was sent at once says so', async () => {
  const id = await reader.create({ mode: 'shareNow' });
  const { json } = await get(id);
  expect(json).toMatchObject({ status: 'sent', shared_now: true, sent_at: expect.any(Number) });
});

test.each([
  ['a picture', { assets: [{ image: { url: 'https://x.example/a.png' } }] }, 'picture'],
  ['a video', { assets: [{ video: { url: 'https://x.example/a.mp4' } }] }, 'video'],
])('%s has its media', async (_what, input, type) => {
  const id = await reader.create(input);
  const { json } = await get(id);
  expect(json).toMatchObject({ type, media: { thumbnail: expect.stringContaining('https://x.example/a.') } });
});

test('the pictures behind a video are all told', async () => {
  const [first, second] = ['https://x.example/a.png', 'https://x.example/b.png'];
  const pictures = [{ image: { url: first } }, { image: { url: second } }];
  const id = await reader.create({ assets: [{ video: { url: 'https://x.example/a.mp4' } }, ...pictures] });
  const { json } = await get(id);
  expect(json).toMatchObject({ type: 'video', extra_media: [{ photo: first }, { photo: second }] });
});

test('a linked page has the names of the old API', async () => {
  const url = 'https://bakery.example/';
  const linkAttachment = { url, title: 'Bakery', description: 'Bread' };
  const id = await reader.create({
    channelId: LINKEDIN,
    metadata: { linkedin: { linkAttachment } },
  });
  const media = { link: url, title: 'Bakery', description: 'Bread' };
  expect((await get(id)).json).toMatchObject({ type: 'link', media, profile_id: LINKEDIN });
});

test.each([
  ['a draft', { saveToDraft: true }, { status: 'draft' }],
  ['a post that waits for approval', { needsApproval: true }, { status: 'draft', needs_approval: true }],
])('%s is told by its id, and stands in no list', async (_what, input, words) => {
  const id = await reader.create(input);
  expect((await get(id)).json).toMatchObject(words);
  for (const list of ['pending.json?count=100', 'sent.json?count=100'])
    expect((await reader.list(list)).updates.map((update) => update.id)).not.toContain(id);
});

test.each([
  ['an id of nothing', '0'.repeat(24)],
  ['a post of another account', '5e1f0c9a7b3d4e2f8a6c6d29'],
  ['no id', 'x'],
  ['an id that is too long', '5e1f0c9a7b3d4e2f8a6c6d010'],
])('%s is the recorded 404', async (_what, id) => {
  const answer = await get(id);
  expectRefusal(answer, 404, 1020);
  expect(answer.json).toEqual({ error: 'Update could not be found.', code: 1020 });
});

test('what cannot be an id costs no request', async () => {
  expect(await reader.asked(() => get('not-an-id'))).toEqual([]);
});

test('an unreadable utc is named', async () => {
  const answer = await get('0'.repeat(24), '?utc=maybe');
  expectRefusal(answer, 400, 1006);
  expect(answer.json).toMatchObject({ error: expect.stringContaining('utc') });
});

test('a grant with the scope that the new API refuses a post or a list does not find it', async () => {
  const forbidden = { data: null, errors: [{ message: 'no', extensions: { code: 'FORBIDDEN' } }] };
  door.proxy.onOtherAnswer = ({ body }, answer) =>
    body.includes('query Post') ? { ...answer, body: Buffer.from(JSON.stringify(forbidden)) } : answer;
  try {
    for (const [path, code] of [
      [`updates/${'0'.repeat(24)}`, 1020],
      [`profiles/${CHANNEL}/updates/pending`, 1010],
    ] as const) {
      const answer = await reader.get(`/1/${path}.json`);
      expectRefusal(answer, 404, code);
      expect(answer.json).not.toHaveProperty('reauthorize');
    }
  } finally {
    door.proxy.onOtherAnswer = undefined;
  }
});

test('a grant without the scope for posts is 403 with the way to a wider one, and nothing is asked', async () => {
  const other = await connectReader(door);
  await other.list('pending.json');
  const { id } = await other.grant();
  const { durable } = door.bridge.context.store;
  await durable.updateTable('grants').set({ scope: 'account:read' }).where('id', '=', id).execute();
  const asked = await other.asked(async () => {
    for (const path of [`updates/${'0'.repeat(24)}`, `profiles/${CHANNEL}/updates/sent`]) {
      const answer = await other.get(`/1/${path}.json`);
      expectRefusal(answer, 403, 1002);
      expect(answer.json).toMatchObject({
        reauthorize: { reason: expect.any(String), link: `${door.bridgeUrl}/apps/${other.app.clientId}` },
      });
    }
  });
  expect(asked.filter((kind) => kind !== 'account')).toEqual([]);
});

test('a post of a channel that the account does not reach is the recorded 404', async () => {
  const id = await reader.create();
  door.proxy.onOtherAnswer = ({ body }, answer) => {
    if (!body.includes('query Post(')) return answer;
    const text = answer.body.toString().replaceAll(CHANNEL, '0'.repeat(24));
    return { ...answer, body: Buffer.from(text) };
  };
  try {
    expectRefusal(await get(id), 404, 1020);
  } finally {
    door.proxy.onOtherAnswer = undefined;
  }
  expect((await get(id)).status).toBe(200);
});

test('without a token it is the challenge, with a dead one the recorded 401', async () => {
  const path = `/1/updates/${'0'.repeat(24)}.json`;
  expectChallenge(await knock(door, { path }));
  const headers = { authorization: `Bearer 1/${'0'.repeat(32)}` };
  expectInvalidToken(await knock(door, { path, headers }));
});

testInProcess('what an address is used for is kept without the ids in it', async () => {
  const id = await reader.create({ mode: 'customScheduled', dueAt: isoIn(7 * 86_400_000) });
  await get(id);
  await reader.list('pending.json');
  await door.bridge.context.usage.flush();
  const rows = await door.bridge.context.store.volatile.selectFrom('usage').select('endpoint').execute();
  const endpoints = rows.map(({ endpoint }) => endpoint);
  expect(endpoints).toContain('/1/updates/:id.json');
  expect(endpoints).toContain('/1/profiles/:id/updates/pending.json');
  expect(endpoints.join(' ')).not.toMatch(/[0-9a-f]{24}/);
  // Owners are not told that these calls end with the old API.
  expect(SERVED_HERE).toEqual(expect.arrayContaining(endpoints));
});
