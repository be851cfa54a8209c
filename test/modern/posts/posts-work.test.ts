import { randomBytes } from 'node:crypto';
import { BAKERY, image, TWITTER } from '../support/posts.ts';
import { ground, withPosts } from '../support/running-posts.ts';

/** How much work one request can ask for. The tests count instead of measuring time. */
withPosts();

const many = (count: number, asset: object) => Array.from({ length: count }, () => asset);

interface StoredContent {
  assets?: object[];
  thread?: object[];
}

/** Writes drafts as an earlier version could leave them in the database: without the checks of an operation. */
function insertDrafts(count: number, { assets = [], thread = [] }: StoredContent): void {
  const insert = ground.db.prepare(`insert into posts (id, organization_id, channel_id, status, share_mode,
    created_at, updated_at, document) values (?, ?, ?, 'draft', 'addToQueue', 1, 1, ?)`);
  const content = { text: 'x', assets, metadata: { thread }, schedulingType: 'automatic', via: 'api' };
  const document = JSON.stringify(content);
  const ids = Array.from({ length: count }, () => randomBytes(12).toString('hex'));
  ground.db.transaction(() => ids.forEach((id) => insert.run(id, BAKERY, TWITTER, document)))();
}

/** The parts of a thread, each with as many assets. */
const parts = (count: number, { assets, asset }: { assets: number; asset: object }) =>
  Array.from({ length: count }, () => ({ text: '', assets: many(assets, asset) }));

beforeEach(() => void ground.db.exec('delete from posts'));

/** Asks for the posts once and again under each alias. */
const posts = (aliases: number, fields: string) => {
  const one = `posts(input: $input, first: 100) { edges { node { ${fields} } } }`;
  const others = Array.from({ length: aliases }, (_, i) => `p${i}: ${one}`);
  return `query($input: PostsInput!) { ${[one, ...others].join(' ')} }`;
};

const ask = async (aliases: number, fields: string) =>
  (await ground.ask(posts(aliases, fields), { input: { organizationId: BAKERY } })).body;

describe('a post is made as far as the query asks', () => {
  const unreadable = { image: { url: 'not an address' } };

  test.each([
    ['assets of the post', { assets: [unreadable] }, 'assets { mimeType }'],
    [
      'assets of a thread',
      { thread: [{ text: 'x', assets: [unreadable] }] },
      'metadata { ... on TwitterPostMetadata { thread { assets { mimeType } } } }',
    ],
  ])('an address in the %s is read only for what it tells', async (_what, content, fields) => {
    insertDrafts(1, content);
    expect((await ask(0, fields)).errors).toMatchObject([{ extensions: { code: 'UNEXPECTED' } }]);
    const others = await ask(0, 'id metadata { __typename ... on TwitterPostMetadata { threadCount } }');
    expect([others.errors, others.data.posts.edges.length]).toEqual([undefined, 1]);
    const without = await ask(0, fields.replace('mimeType', 'source'));
    expect(JSON.stringify(without.data)).toContain('not an address');
  });

  test('the ids of a hundred posts under every alias are one answer, however large the posts are', async () => {
    insertDrafts(100, { thread: parts(50, { assets: 20, asset: unreadable }) });
    const { data } = await ask(30, 'id');
    expect(Object.values(data)).toHaveLength(31);
  });
});

describe('an answer of more than 200,000 values', () => {
  const THREAD = `metadata { ... on TwitterPostMetadata { thread { assets { type mimeType source thumbnail } } } }`;
  const refused = { errors: [{ message: 'The answer has more than the limit of 200,000 values' }] };

  test('is none: the elements of every list count', async () => {
    insertDrafts(100, { thread: parts(50, { assets: 20, asset: image }) });
    expect(await ask(7, THREAD)).toEqual(refused);
    expect(await ask(0, THREAD)).toEqual(refused);
  });

  test('a page of a hundred posts with as many assets as a post may have is an answer', async () => {
    insertDrafts(100, { thread: parts(50, { assets: 4, asset: image }) });
    const { data } = await ask(0, THREAD);
    const thread = data.posts.edges[99].node.metadata.thread;
    expect([thread.length, thread[49].assets.length]).toEqual([50, 4]);
  });
});

test('a post and the parts of its thread have at most 200 assets together', async () => {
  const thread = [{ text: 'Hello', assets: many(20, image) }, ...parts(9, { assets: 20, asset: image })];
  const input = { channelId: TWITTER, saveToDraft: true, metadata: { twitter: { thread } } };
  const message = 'Invalid post: A post and the parts of its thread have at most 200 assets.';
  expect(await ground.refusal({ ...input, assets: [image] })).toEqual(['InvalidInputError', message]);
  const { id } = await ground.made(input);
  const edited = await ground.edit({ id, assets: [image] });
  expect([edited.__typename, edited.message]).toEqual(['InvalidInputError', message]);
});

test('a stored post with more assets can be edited, as long as it gets no further ones', async () => {
  const rest = parts(10, { assets: 20, asset: image });
  insertDrafts(1, { thread: [{ text: 'x', assets: many(20, image) }, ...rest] });
  const { id } = ground.db.prepare('select id from posts').get() as { id: string };
  const threadOf = (text: string) => [{ text, assets: many(20, image) }, ...rest];
  const typeOf = async (input: object) => (await ground.edit({ id, ...input })).__typename;
  expect(await typeOf({ source: 'elsewhere' })).toBe('PostActionSuccess');
  expect(await typeOf({ text: 'y', metadata: { twitter: { thread: threadOf('y') } } })).toBe(
    'PostActionSuccess',
  );
  expect(await typeOf({ assets: [image] })).toBe('InvalidInputError');
});
