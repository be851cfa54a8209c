import { DAY, ids, iso, nodes, RECORDS, TWITTER } from '../support/posts.ts';
import { ground, withPosts } from '../support/running-posts.ts';

withPosts();

/** Every page of a list, one after the other; `between` happens after each. */
async function pages(more: object, between: (page: number) => Promise<unknown> = async () => {}) {
  const found: string[] = [];
  let after: string | undefined;
  for (let page = 0; page < 50; page += 1) {
    // oxlint-disable-next-line no-await-in-loop -- a page follows the one before
    const answer = await ground.list({}, { first: 7, after, ...more });
    found.push(...ids(answer));
    if (!answer.pageInfo.hasNextPage) return found;
    after = answer.pageInfo.endCursor;
    // oxlint-disable-next-line no-await-in-loop
    await between(page);
  }
  throw new Error('the list does not end');
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('sorting', () => {
  test.each([
    ['dueAt', 'asc'],
    ['dueAt', 'desc'],
    ['createdAt', 'asc'],
    ['createdAt', 'desc'],
  ])('by %s %s', async (field, direction) => {
    const found = nodes(await ground.list({}, { sort: [{ field, direction }] }));
    const values = found.map((node) => (field === 'dueAt' ? (node.dueAt ?? '') : node.createdAt));
    const ascending = values.toSorted();
    expect(values).toEqual(direction === 'asc' ? ascending : ascending.toReversed());
  });

  test('by two fields in two directions, also over several pages', async () => {
    const dueAt = iso(Date.now() + 40 * DAY);
    const many = [];
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that they differ in createdAt
    for (let i = 0; i < 5; i += 1) many.push((await ground.made({ mode: 'customScheduled', dueAt })).id);
    const sort = [
      { field: 'dueAt', direction: 'desc' },
      { field: 'createdAt', direction: 'asc' },
      { field: 'dueAt', direction: 'asc' },
    ];
    const found = await pages({ sort, first: 2 });
    expect(found.slice(0, 5)).toEqual(many);
    expect(new Set(found).size).toBe(found.length);
    for (const id of many) ground.db.prepare('delete from posts where id = ?').run(id);
  });
});

describe('paging', () => {
  test('goes through everything once, in every order', async () => {
    const all = ids(await ground.list()).toSorted();
    for (const field of ['dueAt', 'createdAt'])
      for (const direction of ['asc', 'desc']) {
        // oxlint-disable-next-line no-await-in-loop
        const found = await pages({ sort: [{ field, direction }] });
        expect(found.toSorted()).toEqual(all);
      }
  });

  test('neither loses nor repeats a post while others come and go', async () => {
    const made: string[] = [];
    const before = ids(await ground.list());
    const found = await pages({}, async (page) => {
      made.push((await ground.made({ text: `In between ${page}`, saveToDraft: true })).id);
      // The post whose cursor is about to be used goes away.
      if (page === 1) ground.db.prepare('delete from posts where id = ?').run(made[0]);
    });
    expect(found).toEqual(before);
    for (const id of made) await ground.remove(id);
  });

  test('goes on when the post of the cursor is gone', async () => {
    const made = [];
    // oxlint-disable-next-line no-await-in-loop
    for (let i = 0; i < 3; i += 1) made.unshift((await ground.made({ saveToDraft: true })).id);
    const first = await ground.list({}, { first: 2 });
    expect(ids(first)).toEqual(made.slice(0, 2));
    await ground.remove(made[1]);
    const second = await ground.list({}, { first: 1, after: first.pageInfo.endCursor });
    expect(ids(second)).toEqual([made[2]]);
    await Promise.all(made.map((id) => ground.remove(id)));
  });

  test('tells where the page stands', async () => {
    const page = await ground.list({}, { first: 3 });
    expect(page.pageInfo).toEqual({
      startCursor: page.edges[0].cursor,
      endCursor: page.edges[2].cursor,
      hasPreviousPage: false,
      hasNextPage: true,
    });
    const none = await ground.list({ status: ['sending'] });
    expect(none).toEqual({
      edges: [],
      pageInfo: { startCursor: null, endCursor: null, hasPreviousPage: false, hasNextPage: false },
    });
  });

  test('has twenty posts where nobody says otherwise', async () => {
    expect((await ground.list({}, { first: null })).edges).toHaveLength(20);
  });

  test.each([0, -1, 101, 2_000_000_000])('first: %i is refused', async (first) => {
    const { data, errors } = await ground.list({}, { first });
    expect([data, errors[0].extensions.code, errors[0].message]).toEqual([
      null,
      'BAD_USER_INPUT',
      '"first" must be between 1 and 100',
    ]);
  });

  test.each([
    ['empty', ''],
    ['no cursor', 'no cursor at all'],
    ['the cursor of another server', Buffer.from('o"5e1f0c9a7b3d4e2f8a6c6d01"').toString('base64')],
    ['JSON of another shape', encoded({ __proto__: 1, id: {} })],
    ['values that are no numbers', encoded({ sort: 'createdAt desc', values: ['1 or 1=1'], id: 'x' })],
    ['too few values', encoded({ sort: 'createdAt desc', values: [], id: 'x' })],
    ['too large a value', encoded({ sort: 'createdAt desc', values: [1e300], id: 'x' })],
    ['very long', 'A'.repeat(100_000)],
  ])('a cursor that is %s is refused', async (_what, after) => {
    const { data, errors } = await ground.list({}, { after });
    expect([data, errors[0].extensions.code]).toEqual([null, 'BAD_USER_INPUT']);
  });

  test('a cursor from a list in another order is refused', async () => {
    const { pageInfo } = await ground.list({}, { first: 1 });
    const sort = [{ field: 'dueAt', direction: 'desc' }];
    const { errors } = await ground.list({}, { first: 1, after: pageInfo.endCursor, sort });
    expect(errors[0].message).toBe('The cursor in "after" comes from a list in another order');
  });
});

describe('one post', () => {
  test('is found by its id', async () => {
    const [id] = ids(await ground.list({ status: ['sent'], channelIds: [TWITTER] }, { first: 1 }));
    expect(await ground.post(id ?? '')).toMatchObject({
      id,
      status: 'sent',
      channelService: 'twitter',
      channel: { id: TWITTER, name: 'danasbakery' },
      author: { email: 'demo@grantbridge.example', isDeleted: false },
      externalLink: `https://twitter.example/danasbakery/posts/${id}`,
      notes: [],
      metrics: null,
      metricsUpdatedAt: null,
    });
  });

  test('of another account, and one that is not there, are not found', async () => {
    const [foreign] = ids(await ground.list({}, { organizationId: RECORDS, as: ground.stranger }));
    for (const id of [foreign ?? '', 'unknown', '__proto__', 'x\0y']) {
      // oxlint-disable-next-line no-await-in-loop
      const { data, errors } = await ground.post(id);
      expect([data, errors[0].extensions.code]).toEqual([null, 'NOT_FOUND']);
    }
  });
});
