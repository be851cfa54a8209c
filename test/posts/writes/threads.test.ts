import { type Bakery, isWrite, openBakery, said, withScope } from '../support/bakery.ts';
import { madePast, shownPast } from '../support/past-the-bridge.ts';
import { CHANNELS } from '../support/posts.ts';

/** What an edit keeps of a post although the old API had no name for it: its thread, its first comment, its topic. */

const picture = (name: string) => ({
  image: { url: `https://images.example/${name}.png`, metadata: { altText: `A ${name}` } },
});
const CLIP = {
  video: { url: 'https://images.example/a.mp4', metadata: { thumbnailOffset: 7, title: 'Clip' } },
};
const LINK: [string, string] = ['media[link]', 'https://bakery.example/'];

let bakery: Bakery;
let count = 0;
let text: string;

beforeAll(async () => {
  bakery = await openBakery();
});

afterAll(() => bakery.system.stop());

beforeEach(() => {
  count += 1;
  text = `Crumb ${count}`;
});

afterEach(() => bakery.mend());

const make = (channelId: string, input: object) => madePast(bakery, { channelId, text, ...input });

const shown = (id: string) => shownPast(bakery, id);

const change = (id: string, ...media: Array<[string, string]>) =>
  bakery.post(`updates/${id}/update`, [['text', `${text} anew`], ...media]);

const threadOf = (first: object = { text, assets: [] }) => [
  first,
  { text: 'Second', assets: [picture('loaf'), CLIP] },
];

const REST = {
  text: 'Second',
  assets: [
    { type: 'image', source: 'https://images.example/loaf.png', image: { altText: 'A loaf' } },
    { type: 'video', source: 'https://images.example/a.mp4', video: { title: 'Clip', thumbnailOffset: 7 } },
  ],
};

const ATTACHED = {
  url: 'https://bakery.example/old',
  title: 'Bread',
  description: 'Old bread',
  thumbnail: { url: 'https://images.example/old.png' },
};

test.each<[string, string, string, object, object]>([
  ['a tweet', CHANNELS.twitter, 'twitter', { isAiGenerated: true }, { isAiGenerated: true }],
  [
    'a post of Threads',
    CHANNELS.threads,
    'threads',
    { topic: 'bread', locationId: '1', locationName: 'Oven', linkAttachment: ATTACHED },
    {
      topic: 'bread',
      locationName: 'Oven',
      linkAttachment: {
        url: ATTACHED.url,
        title: 'Bread',
        text: 'Old bread',
        thumbnail: 'https://images.example/old.png',
      },
    },
  ],
  ['a post of Bluesky', CHANNELS.bluesky, 'bluesky', {}, { linkAttachment: null }],
])('another text of %s stands in the first part of its thread, and the rest stays', async (...row) => {
  const [, channel, service, own, kept] = row;
  const { id } = await make(channel, { metadata: { [service]: { thread: threadOf(), ...own } } });
  const answer = await change(id);
  expect([answer.status, answer.json.message]).toEqual([200, 'The update was changed.']);
  expect(await shown(id)).toMatchObject({
    text: `${text} anew`,
    metadata: { ...kept, thread: [{ text: `${text} anew`, assets: [] }, REST] },
  });
});

async function bodiesOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = bakery.system.proxy.readings().length;
  await work();
  return bakery.system.proxy
    .readings()
    .slice(before)
    .map(({ body }) => (isWrite({ body }) ? 'write' : 'read'));
}

test('a text costs a reading only where the new API refused it', async () => {
  const thread = await make(CHANNELS.twitter, { metadata: { twitter: { thread: threadOf() } } });
  const plain = await make(CHANNELS.twitter, {});
  expect(await bodiesOf(() => change(plain.id))).toEqual(['write']);
  expect(await bodiesOf(() => change(thread.id))).toEqual(['write', 'read', 'write']);
  const rows = (await bakery.rows()).slice(-3).map(({ state, post_id: id }) => [state, id]);
  expect(rows).toEqual([
    ['done', plain.id],
    ['refused', thread.id],
    ['done', thread.id],
  ]);
});

test('a refusal that has another reason is told as it came, and the post stays', async () => {
  const { id } = await make(CHANNELS.twitter, {});
  const answer = await bakery.post(`updates/${id}/update`, [['text', 'x'.repeat(300)]]);
  expect([answer.status, answer.json.success, answer.json.code]).toEqual([400, false, 1004]);
  expect(answer.json.message).toMatch(/280/);
  expect(await shown(id)).toMatchObject({ text });
});

test('a text whose post cannot be read after a refusal is no final refusal, and the same call changes it later', async () => {
  const { id } = await make(CHANNELS.twitter, { metadata: { twitter: { thread: threadOf() } } });
  bakery.system.proxy.insteadOfOther = (call) => (isWrite(call) ? undefined : said(503, {}));
  const answer = await change(id);
  expect([answer.status, answer.json.success]).toEqual([503, false]);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  bakery.mend();
  expect((await change(id)).json.message).toBe('The update was changed.');
  expect(await shown(id)).toMatchObject({ metadata: { thread: [{ text: `${text} anew` }, REST] } });
});

test('a refusal stays where the account may not read the post', async () => {
  const { id } = await make(CHANNELS.twitter, { metadata: { twitter: { thread: threadOf() } } });
  const forbidden = { errors: [{ message: 'No', extensions: { code: 'FORBIDDEN' } }] };
  bakery.system.proxy.insteadOfOther = (call) => (isWrite(call) ? undefined : said(200, forbidden));
  const answer = await change(id);
  expect([answer.status, answer.json.code]).toEqual([400, 1022]);
  expect(answer.json.message).toMatch(/first part of a thread/);
});

test('pictures stand in the first part of a thread too, where those of the post stood', async () => {
  const assets = [picture('roll')];
  const input = { assets, metadata: { twitter: { thread: threadOf({ text, assets }) } } };
  const { id } = await make(CHANNELS.twitter, input);
  const answer = await change(id, ['media[photo]', 'https://images.example/cake.png']);
  expect([answer.status, answer.json.message]).toEqual([200, 'The update was changed.']);
  const cake = [{ type: 'image', source: 'https://images.example/cake.png' }];
  const changed = { assets: cake, metadata: { thread: [{ text: `${text} anew`, assets: cake }, REST] } };
  expect(await shown(id)).toMatchObject(changed);
});

test('a link leaves the thread and the topic of a post', async () => {
  const { id } = await make(CHANNELS.threads, {
    metadata: { threads: { thread: threadOf(), topic: 'bread' } },
  });
  expect((await change(id, LINK)).json.message).toBe('The update was changed.');
  expect(await shown(id)).toMatchObject({
    metadata: {
      topic: 'bread',
      linkAttachment: { url: LINK[1] },
      thread: [{ text: `${text} anew` }, REST],
    },
  });
});

const MENTION = {
  id: '1',
  link: 'https://linkedin.example/a',
  entity: 'urn:li:person:1',
  vanityName: 'a',
  localizedName: 'Crumb',
  start: 0,
  length: 5,
};

test.each([
  ['', [], 'The update was changed.'],
  [
    ', and its mentions are told',
    [MENTION],
    'The update was changed. Left out: the mentions that the text of the update had.',
  ],
])('a link leaves the first comment of a post%s', async (_words, annotations, message) => {
  const metadata = { linkedin: { firstComment: 'First!', annotations } };
  const { id } = await make(CHANNELS.linkedin, { metadata });
  expect((await change(id, LINK)).json.message).toBe(message);
  expect(await shown(id)).toMatchObject({
    metadata: { firstComment: 'First!', linkAttachment: { url: LINK[1] }, annotations: [] },
  });
});

test('a first comment that an error hides from the reading is not deleted', async () => {
  const { id } = await make(CHANNELS.linkedin, { metadata: { linkedin: { firstComment: 'First!' } } });
  for (const [code, status] of [
    ['FORBIDDEN', 403],
    ['NOT_FOUND', 503],
    ['UNEXPECTED', 503],
  ] as const) {
    bakery.system.proxy.onOtherAnswer = (call, answer) => {
      if (!call.body.includes('query Look')) return answer;
      const { data } = JSON.parse(answer.body.toString()) as { data: { post: { metadata: object } } };
      const post = { ...data.post, metadata: { ...data.post.metadata, firstComment: null } };
      const errors = [{ message: 'no', path: ['post', 'metadata', 'firstComment'], extensions: { code } }];
      return said(200, { data: { post }, errors });
    };
    const answer = await change(id, LINK);
    expect([code, answer.status]).toEqual([code, status]);
  }
  bakery.mend();
  expect(await shown(id)).toMatchObject({ text, metadata: { firstComment: 'First!' } });
});

/** Makes a post that begins with a mention. */
const makeMentioning = () =>
  make(CHANNELS.linkedin, {
    metadata: { linkedin: { firstComment: 'First!', annotations: [MENTION] } },
  });

const GONE = 'The update was changed. Left out: the mentions that the text of the update had.';

test('a text that ends before a mention takes the mention away, and says so', async () => {
  const { id } = await makeMentioning();
  const seen = await bodiesOf(async () => {
    const answer = await bakery.post(`updates/${id}/update`, [['text', 'Tea']]);
    expect([answer.status, answer.json.message]).toEqual([200, GONE]);
  });
  expect(seen).toEqual(['write', 'read', 'write']);
  expect(await shown(id)).toMatchObject({
    text: 'Tea',
    metadata: { firstComment: 'First!', annotations: [] },
  });
});

const PHOTO: [string, string] = ['media[photo]', 'https://images.example/cake.png'];

test('media with a text that has other words at the place of a mention take it away, and say so', async () => {
  const { id } = await makeMentioning();
  const answer = await bakery.post(`updates/${id}/update`, [['text', 'Tea'], PHOTO]);
  expect([answer.status, answer.json.message]).toEqual([200, GONE]);
  expect(await shown(id)).toMatchObject({ metadata: { firstComment: 'First!', annotations: [] } });
});

test('media with a text that has a mention at its place leave the mention', async () => {
  const { id } = await makeMentioning();
  expect((await change(id, PHOTO)).json.message).toBe('The update was changed.');
  expect(await shown(id)).toMatchObject({ metadata: { annotations: [{ text: 'Crumb' }] } });
});

test('without the right to read posts the refusal of a thread is told as it came', async () => {
  const { id } = await make(CHANNELS.twitter, { metadata: { twitter: { thread: threadOf() } } });
  const answer = await withScope(bakery.system, 'account:read posts:write offline_access', () => change(id));
  expect([answer.status, answer.json.code]).toEqual([400, 1022]);
  expect(answer.json.message).toMatch(/first part of a thread/);
});
