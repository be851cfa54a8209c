import { Sqlite } from '../../../src/shared/sqlite.ts';
import { demoTags } from '../../../src/modern/demo/post-tags.ts';
import { BAKERY, RECORDS, RUNNERS, whileWritesFail } from '../support/api-caller.ts';
import { ask, askSecond, withTwoBearers } from '../support/bearers.ts';
import { modern } from '../support/running-modern.ts';

const BEHIND_THE_COUNTER = '5e1f0c9a7b3d4e2f8a6c7d02';
const RACES = '5e1f0c9a7b3d4e2f8a6c7d03';

withTwoBearers();

const tagId = (wanted: string) => demoTags.find(({ name }) => name === wanted)?.id ?? 'nothing';

const IDEA = `id organizationId groupId position createdAt updatedAt content { title text aiAssisted services date
  tags { id name color colorName } media { id url alt thumbnailUrl type size source { name id author authorUrl } } }`;

const LIST = `query($input: IdeasInput!, $first: Int, $after: String) { ideas(input: $input, first: $first, after: $after) {
  edges { cursor node { ${IDEA} } } pageInfo { startCursor endCursor hasPreviousPage hasNextPage } } }`;

const CREATE = `mutation($input: CreateIdeaInput!) { createIdea(input: $input) {
  __typename ... on Idea { ${IDEA} } ... on MutationError { message } } }`;

const list = async (input: object, paging: object = {}, as = ask) =>
  (await as(LIST, { input, ...paging })).body;

const nodes = async (input: object, paging: object = {}) =>
  (await list(input, paging)).data.ideas.edges.map(({ node }: { node: object }) => node);

const create = async (input: object, as = ask) => (await as(CREATE, { input })).body.data.createIdea;

const idea = (content: object, more: object = {}) => ({ organizationId: BAKERY, content, ...more });

describe('ideas', () => {
  test('come newest first, with times in Unix seconds', async () => {
    const all = await nodes({ organizationId: BAKERY });
    const times = all.map(({ createdAt }: { createdAt: number }) => createdAt);
    expect(all).toHaveLength(7);
    expect(times).toEqual(times.toSorted((a: number, b: number) => b - a));
    expect(times.every((time: number) => time > 1_700_000_000 && time < 2_000_000_000)).toBe(true);
  });

  test('every page follows the last, until the last one says so', async () => {
    const input = { organizationId: BAKERY };
    const whole = await nodes(input);
    const first = (await list(input, { first: 3 })).data.ideas;
    const second = (await list(input, { first: 3, after: first.pageInfo.endCursor })).data.ideas;
    const third = (await list(input, { first: 3, after: second.pageInfo.endCursor })).data.ideas;
    const pages = [first, second, third];
    expect(pages.flatMap(({ edges }) => edges.map(({ node }: { node: object }) => node))).toEqual(whole);
    expect(pages.map(({ pageInfo }) => pageInfo.hasNextPage)).toEqual([true, true, false]);
    expect(first.pageInfo).toMatchObject({ startCursor: first.edges[0].cursor, hasPreviousPage: false });
    const beyond = (await list(input, { after: third.pageInfo.endCursor })).data.ideas;
    expect(beyond).toEqual({
      edges: [],
      pageInfo: { startCursor: null, endCursor: null, hasPreviousPage: false, hasNextPage: false },
    });
  });

  test.each([
    ['a size of 0', { first: 0 }],
    ['a size of 101', { first: 101 }],
    ['a negative size', { first: -1 }],
    ['an empty cursor', { after: '' }],
    ['a cursor that is no base64', { after: '§§§' }],
    ['a cursor of another list', { after: btoa(btoa('["createdAt desc",[1],"x"]')) }],
    ['a cursor with an object in it', { after: btoa(btoa('["ideas createdAt desc",[{"$ne":1}],"x"]')) }],
    ['a cursor beyond all numbers', { after: btoa(btoa('["ideas createdAt desc",[1e400],"x"]')) }],
    ['a cursor without a time', { after: btoa(btoa('["ideas createdAt desc",[null],"x"]')) }],
    ['a cursor of two strings', { after: btoa(btoa('["a","b"]')) }],
  ])('%s is refused', async (_what, paging) => {
    const { data, errors } = await list({ organizationId: BAKERY }, paging);
    expect([data, errors[0].extensions.code]).toEqual([null, 'BAD_USER_INPUT']);
  });

  test.each([
    ['of one group', { groupFilter: { groups: [BEHIND_THE_COUNTER] } }, 2],
    ['of a group elsewhere', { groupFilter: { groups: [RACES] } }, 0],
    ['of no group named', { groupFilter: { groups: [] } }, 0],
    ['in groups', { groupFilter: { membership: 'grouped' } }, 5],
    ['outside of groups', { groupFilter: { membership: 'ungrouped' } }, 2],
    ['with a tag', { tagsFilter: { in: [tagId('cakes')] } }, 3],
    ['with one of two tags', { tagsFilter: { in: [tagId('cakes'), tagId('breads')] } }, 5],
    ['without tags', { tagsFilter: { in: [], isEmpty: true } }, 1],
    ['with a tag, or without any', { tagsFilter: { in: [tagId('cakes')], isEmpty: true } }, 4],
    ['with none of the tags there are', { tagsFilter: { in: [] } }, 0],
    ['of both filters', { groupFilter: { membership: 'grouped' }, tagsFilter: { in: [tagId('breads')] } }, 1],
    ['of filters that are null', { groupFilter: null, tagsFilter: null }, 7],
  ])('can be narrowed to those %s', async (_what, filter, count) => {
    expect(await nodes({ organizationId: BAKERY, ...filter })).toHaveLength(count);
  });

  test('a group filter is groups or membership, never both', async () => {
    const groupFilter = { groups: [], membership: 'grouped' };
    const { status, body } = await ask(LIST, { input: { organizationId: BAKERY, groupFilter } });
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
  });

  test("somebody else's organization is not found", async () => {
    for (const organizationId of [RECORDS, 'nowhere']) {
      const { data, errors } = await list({ organizationId });
      expect([data, errors[0].extensions.code]).toEqual([null, 'NOT_FOUND']);
    }
  });
});

describe('createIdea', () => {
  test('answers with the idea itself, and it heads the list', async () => {
    const content = {
      title: 'A title',
      text: 'A text',
      media: [{ url: 'https://images.example/a.png', type: 'image', alt: 'a', source: { name: 'unsplash' } }],
      tags: [{ id: 'tag', name: 'Tag', color: '#f523F1' }],
      aiAssisted: true,
      services: ['twitter', 'mastodon', 'twitter'],
      date: '2026-12-24T18:00:00+01:00',
    };
    const { __typename, ...created } = await create(idea(content, { cta: 'x', templateId: 'y' }));
    expect(__typename).toBe('Idea');
    expect(created).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      organizationId: BAKERY,
      groupId: null,
      position: null,
      content: {
        title: 'A title',
        services: ['twitter', 'mastodon'],
        date: '2026-12-24T17:00:00.000Z',
        tags: content.tags,
        media: [{ url: 'https://images.example/a.png', size: null, source: { name: 'unsplash', id: null } }],
      },
    });
    expect(created.createdAt).toBe(Math.floor(created.createdAt));
    expect(Math.abs(created.createdAt * 1000 - Date.now())).toBeLessThan(60_000);
    expect((await nodes({ organizationId: BAKERY }, { first: 1 }))[0]).toEqual(created);
  });

  test('an idea goes to the top of its group, or behind the one that is named', async () => {
    const group = { groupId: BEHIND_THE_COUNTER };
    const inOrder = async () => {
      const all = await nodes({ organizationId: BAKERY, groupFilter: { groups: [BEHIND_THE_COUNTER] } });
      return all
        .toSorted((a: { position: number }, b: { position: number }) => a.position - b.position)
        .map(({ content }: { content: { title: string } }) => content.title);
    };
    const [one, two] = await inOrder();
    const top = await create(idea({ title: 'top' }, { group }));
    await create(idea({ title: 'second' }, { group: { ...group, placeAfterId: top.id } }));
    const last = (
      await nodes({ organizationId: BAKERY, groupFilter: { groups: [BEHIND_THE_COUNTER] } })
    ).find(({ content }: { content: { title: string } }) => content.title === two);
    await create(idea({ title: 'last' }, { group: { ...group, placeAfterId: last.id } }));
    expect(await inOrder()).toEqual(['top', 'second', one, two, 'last']);
  });

  const media = { url: 'https://images.example/a.png', type: 'image' };
  test.each([
    ['empty', {}, {}, 'An idea needs a title, a text or media'],
    ['only spaces', { title: ' ', text: '\n', media: [] }, {}, 'An idea needs a title, a text or media'],
    ['a long title', { title: 'x'.repeat(501) }, {}, 'The title can have at most 500 characters'],
    ['a long text', { text: 'x'.repeat(20_001) }, {}, 'The text can have at most 20000 characters'],
    [
      'many media',
      { media: Array.from({ length: 21 }, () => media) },
      {},
      'An idea can have at most 20 media',
    ],
    [
      'a video',
      { media: [{ ...media, type: 'video' }] },
      {},
      'Media of type video cannot be added through the API',
    ],
    [
      'a script address',
      { media: [{ ...media, url: 'javascript:alert(1)' }] },
      {},
      'Media must have http or https addresses',
    ],
    [
      'a file thumbnail',
      { media: [{ ...media, thumbnailUrl: 'file:///etc/passwd' }] },
      {},
      'Media must have http or https addresses',
    ],
    ['a negative size', { media: [{ ...media, size: -1 }] }, {}, 'The size of media cannot be negative'],
    [
      'a tag without a colour',
      { title: 'a', tags: [{ id: 'a', name: 'a', color: 'red' }] },
      {},
      'Each tag needs a name and a colour such as #F523F1',
    ],
    ['NUL in a text', { text: 'a\0b' }, {}, 'Text cannot hold the character NUL'],
    [
      'half a character in the name of a tag',
      { title: 'a', tags: [{ id: 'a', name: '\udc00', color: '#a1B2c3' }] },
      {},
      'Text cannot hold half a character (a lone surrogate)',
    ],
    [
      'half a character in a title, and NUL deep inside of media',
      { title: '\ud800', media: [{ ...media, source: { name: 'a', author: '\0' } }] },
      {},
      'Text cannot hold the character NUL. Text cannot hold half a character (a lone surrogate)',
    ],
    [
      'an address of 2,049 characters',
      { media: [{ ...media, url: 'https://images.example/'.padEnd(2049, 'a') }] },
      {},
      'Media must have http or https addresses',
    ],
    ['an unknown group', { title: 'a' }, { group: { groupId: 'nothing' } }, 'The group was not found'],
    [
      "another organization's group",
      { title: 'a' },
      { group: { groupId: RACES } },
      'The group was not found',
    ],
    [
      'a place without a group',
      { title: 'a' },
      { group: { placeAfterId: 'nothing' } },
      'The idea to place it after needs its group',
    ],
    [
      'a place elsewhere',
      { title: 'a' },
      { group: { groupId: BEHIND_THE_COUNTER, placeAfterId: 'nothing' } },
      'The idea to place it after is not in the group',
    ],
    [
      'two faults',
      { title: 'x'.repeat(501) },
      { group: { groupId: 'nothing' } },
      'The title can have at most 500 characters. The group was not found',
    ],
  ])('%s is invalid input and changes nothing', async (_what, content, more, message) => {
    const before = await nodes({ organizationId: BAKERY }, { first: 100 });
    expect(await create(idea(content, more))).toEqual({ __typename: 'InvalidInputError', message });
    expect(await nodes({ organizationId: BAKERY }, { first: 100 })).toEqual(before);
  });

  test("an organization that is not the caller's is unauthorized, whether it exists or not", async () => {
    for (const organizationId of [RECORDS, 'nowhere']) {
      const answer = await create({ organizationId, content: { title: 'a' } });
      expect(answer).toEqual({
        __typename: 'UnauthorizedError',
        message: 'You cannot create ideas in this organization',
      });
    }
    expect((await list({ organizationId: RECORDS }, {}, askSecond)).data.ideas.edges).toHaveLength(2);
  });

  test("the plan's limit is reached, not passed", async () => {
    const db = new Sqlite(modern.settings.databaseFile, { timeout: 5000 });
    const count = (await nodes({ organizationId: RUNNERS })).length;
    const change = db.prepare(
      "update organizations set document = json_set(document, '$.limits.ideas', ?) where id = ?",
    );
    change.run(count + 1, RUNNERS);
    const another = { organizationId: RUNNERS, content: { title: 'One more' } };
    const answers = await Promise.all([create(another), create(another), create(another)]);
    change.run(100, RUNNERS);
    db.close();
    const names: string[] = answers.map(({ __typename }) => __typename);
    expect(names.toSorted()).toEqual(['Idea', 'LimitReachedError', 'LimitReachedError']);
    expect(answers.find(({ message }) => message)?.message).toBe(
      `The plan of this organization allows ${count + 1} ideas`,
    );
    expect(await nodes({ organizationId: RUNNERS })).toHaveLength(count + 1);
  });

  test('a database that cannot write is an unexpected error', async () => {
    await whileWritesFail(modern, ['insert', 'ideas'], async () =>
      expect(await create(idea({ title: 'a' }))).toEqual({
        __typename: 'UnexpectedError',
        message: 'An unexpected error occurred',
      }),
    );
  });
});
