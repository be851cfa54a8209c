import { BAKERY, type Ground, RECORDS, RUNNERS } from '../support/posts.ts';
import { ground, withPosts } from '../support/running-posts.ts';

const FIELDS = 'id organizationId title body description emoji visibility createdAt updatedAt';
const UNKNOWN = '0'.repeat(24);

withPosts();
afterEach(() => void ground.db.exec("delete from post_templates where id not like '5e1f0c9a%'"));

type Json = Awaited<ReturnType<Ground['post']>>;

async function change(kind: 'create' | 'update' | 'delete', input: object, as?: string): Promise<Json> {
  const name = `${kind}PostTemplate`;
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  const success = {
    create: `... on CreatePostTemplateSuccess { postTemplate { ${FIELDS} } }`,
    update: `... on UpdatePostTemplateSuccess { postTemplate { ${FIELDS} } }`,
    delete: '... on MutationSuccess { _empty }',
  };
  const query = `mutation($input: ${type}!) { ${name}(input: $input) {
    __typename ${success[kind]} ... on VoidMutationError { message } } }`;
  const { body } = await ground.ask(query, { input }, as);
  return body.data?.[name] ?? body.errors[0];
}

const template = (more: object = {}) => ({
  organizationId: BAKERY,
  title: ' Bread of the day ',
  body: 'Today: {{bread}}',
  description: 'For the morning',
  emoji: '\u{1F35E}',
  ...more,
});

async function made(more: object = {}, as?: string): Promise<Json> {
  const { __typename, postTemplate, message } = await change('create', template(more), as);
  expect([__typename, message]).toEqual(['CreatePostTemplateSuccess', undefined]);
  return postTemplate;
}

async function find(id: string, as?: string): Promise<Json> {
  const query = `query($input: PostTemplateInput!) { postTemplate(input: $input) { ${FIELDS} } }`;
  const { body } = await ground.ask(query, { input: { id } }, as);
  expect(body.errors).toBeUndefined();
  return body.data.postTemplate;
}

async function list(input: object, { as, ...paging }: { as?: string; first?: number; after?: string } = {}) {
  const query = `query($input: PostTemplatesInput!, $first: Int, $after: String) {
    postTemplates(input: $input, first: $first, after: $after) {
      totalCount edges { cursor node { ${FIELDS} } } pageInfo { endCursor hasNextPage } } }`;
  const { body } = await ground.ask(query, { input, ...paging }, as);
  return body.data?.postTemplates ?? body.errors[0];
}

const idsOf = ({ edges }: Json) => edges.map(({ node }: Json) => node.id);

/** A template of everybody: no operation makes one. */
function addPublic(): string {
  const id = 'ab'.repeat(12);
  const insert = ground.db.prepare(`insert into post_templates
    select ?, organization_id, account_id, 'Hello', 'Hello {{name}}', 'For all', '', 'public', 1, 1
    from post_templates where id like '5e1f0c9a%' limit 1`);
  insert.run(id);
  return id;
}

describe('a template', () => {
  test('is private unless said, and everything of it is told', async () => {
    const before = Date.now();
    const one = await made();
    expect(one).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      organizationId: BAKERY,
      title: 'Bread of the day',
      body: 'Today: {{bread}}',
      description: 'For the morning',
      emoji: '\u{1F35E}',
      visibility: 'private',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: one.createdAt,
    });
    expect(Date.parse(one.createdAt)).toBeGreaterThanOrEqual(before);
    expect(await find(one.id)).toEqual(one);
    expect((await made({ emoji: null })).emoji).toBe('');
  });

  test('is changed where it is said, and stays as it is elsewhere', async () => {
    const one = await made();
    const { postTemplate } = await change('update', {
      id: one.id,
      title: 'New',
      body: null,
      visibility: 'internal',
    });
    expect(postTemplate).toEqual({
      ...one,
      title: 'New',
      visibility: 'internal',
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect(postTemplate.updatedAt >= one.updatedAt).toBe(true);
    expect(await find(one.id)).toEqual(postTemplate);
  });

  test('is deleted once', async () => {
    const { id } = await made();
    expect(await change('delete', { id })).toEqual({ __typename: 'EmptySuccess', _empty: '' });
    expect(await find(id)).toBeNull();
    expect(await change('delete', { id })).toEqual({
      __typename: 'VoidMutationError',
      message: 'Post template not found',
    });
  });
});

describe('the list', () => {
  test('has own, internal and public ones, newest first, narrowed by visibility', async () => {
    const everybody = addPublic();
    const own = await made();
    const internal = await made({ visibility: 'internal' });
    const seeded = ['5e1f0c9a7b3d4e2f8a6c4d02', '5e1f0c9a7b3d4e2f8a6c4d01'];
    const all = await list({ organizationId: BAKERY });
    expect(new Set(idsOf(all).slice(0, 2))).toEqual(new Set([own.id, internal.id]));
    expect([idsOf(all).slice(2), all.totalCount]).toEqual([[...seeded, everybody], 5]);
    const narrowed = await Promise.all(
      ['private', 'internal', 'public'].map((visibility) =>
        list({ organizationId: BAKERY, filter: { visibility } }),
      ),
    );
    expect(narrowed.map(idsOf)).toEqual([[own.id, seeded[0]], [internal.id, seeded[1]], [everybody]]);
  });

  test('of another organization has the own private ones and none of its internal ones', async () => {
    const own = await made();
    await made({ visibility: 'internal' });
    expect(idsOf(await list({ organizationId: RUNNERS }))).toEqual([own.id, '5e1f0c9a7b3d4e2f8a6c4d02']);
  });

  test('pages on to the end, each once', async () => {
    const third = await made();
    const ids: string[] = [];
    let after: string | undefined;
    do {
      // oxlint-disable-next-line no-await-in-loop -- one page after the other
      const page: Json = await list({ organizationId: BAKERY }, { first: 1, ...(after && { after }) });
      ids.push(...idsOf(page));
      expect(page.totalCount).toBe(3);
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : undefined;
    } while (after !== undefined);
    expect(ids).toEqual([third.id, '5e1f0c9a7b3d4e2f8a6c4d02', '5e1f0c9a7b3d4e2f8a6c4d01']);
  });

  test('of an organization that is not the caller’s is NOT_FOUND', async () => {
    const codes = await Promise.all(
      [RECORDS, UNKNOWN].map(async (organizationId) => (await list({ organizationId })).extensions.code),
    );
    expect(codes).toEqual(['NOT_FOUND', 'NOT_FOUND']);
  });
});

test('another person sees only the public ones, and changes none', async () => {
  const everybody = addPublic();
  const own = await made();
  const internal = await made({ visibility: 'internal' });
  const as = ground.stranger;
  expect([await find(own.id, as), await find(internal.id, as)]).toEqual([null, null]);
  expect((await find(everybody, as)).title).toBe('Hello');
  expect(idsOf(await list({ organizationId: RECORDS }, { as }))).toEqual([everybody]);
  const refusal = { __typename: 'VoidMutationError', message: 'Post template not found' };
  for (const id of [own.id, internal.id, everybody, UNKNOWN]) {
    // oxlint-disable-next-line no-await-in-loop -- four of them
    expect(await change('update', { id, title: 'Taken over' }, as)).toEqual(refusal);
    // oxlint-disable-next-line no-await-in-loop
    expect(await change('delete', { id }, as)).toEqual(refusal);
  }
  expect(await find(own.id)).toEqual(own);
  expect(await change('update', { id: everybody, title: 'Mine' })).toEqual(refusal);
});

const count = () => ground.db.prepare('select count(*) from post_templates').pluck().get();

describe('is refused, and nothing is written', () => {
  test.each([
    ['no title', { title: ' ' }, /^The title must be/],
    ['a title of two lines', { title: 'a\nb' }, /^The title must be/],
    ['no body', { body: '  ' }, /^The body must have 1 to 10000/],
    ['a body of 10,001 characters', { body: 'a'.repeat(10_001) }, /^The body must have/],
    ['no description', { description: undefined }, /^The description must have 1 to 500/],
    ['null as description', { description: null }, /^The description must have/],
    ['an empty description', { description: '' }, /^The description must have/],
    ['a long emoji', { emoji: 'a'.repeat(33) }, /^The emoji must be/],
    ['public', { visibility: 'public' }, /^Nobody can make a template public$/],
    ['NUL', { body: 'a\0' }, /NUL$/],
    ['an organization of another person', { organizationId: RECORDS }, /^Organization not found$/],
  ])('%s', async (_what, more, message) => {
    const before = count();
    const answer = await change('create', template(more));
    expect([answer.__typename, answer.message]).toEqual([
      'VoidMutationError',
      expect.stringMatching(message),
    ]);
    expect(count()).toBe(before);
  });

  test('a change that would break a rule', async () => {
    const one = await made();
    // oxlint-disable-next-line no-await-in-loop -- three of them
    for (const more of [{ visibility: 'public' }, { description: '' }, { title: '' }])
      expect((await change('update', { id: one.id, ...more })).__typename).toBe('VoidMutationError');
    expect(await find(one.id)).toEqual(one);
  });

  test('one more than the plan allows, also of many at once', async () => {
    const organizationId = RUNNERS;
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => change('create', template({ organizationId }))),
    );
    const messages = answers.flatMap(({ message }) => (message === undefined ? [] : [message]));
    expect(messages).toEqual(Array(3).fill('The plan of this organization allows 3 post templates'));
  });
});
