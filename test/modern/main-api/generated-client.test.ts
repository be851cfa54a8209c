import { getNamedType, type GraphQLOutputType, isObjectType, isUnionType } from 'graphql';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { createKey, keyOn } from '../support/api-keys.ts';
import { type GeneratedClient, generateClient } from '../support/generated-client.ts';
import { whileBroken, whileFull } from '../support/limits-of-rows.ts';
import { graphql, obtainTokens, SECOND } from '../support/modern.ts';
import { base, modern, withModern } from '../support/running-modern.ts';
import { signedIn } from '../support/settings.ts';

const EVERYTHING =
  'account:read account:write posts:read posts:write ideas:read ideas:write snippets:read snippets:write';
const UNKNOWN = '0'.repeat(24);
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();

/** Members of unions that this server never produces, each with its reason. */
const UNREACHABLE: Record<string, string> = {
  'CreateIdeaPayload.IdeaResponse': 'the real service answers with Idea, and so does this one',
};

let client: GeneratedClient;
let bearer: string;
let key: string;
let foreign: Record<'organization' | 'channel', string>;
let own: Record<'bakery' | 'channel' | 'disconnected' | 'business' | 'film', string>;
const seen = new Set<string>();

interface Channel {
  id: string;
  service: string;
  isDisconnected: boolean;
}

async function organizationsOf(authorization: string): Promise<{ id: string; limits: { ideas: number } }[]> {
  const query = '{ account { organizations { id limits { ideas } } } }';
  return (await graphql(modern.server.url, authorization, { query })).body.data.account.organizations;
}

async function channelsOf(authorization: string, organizationId: string): Promise<Channel[]> {
  const query = `{ channels(input: { organizationId: "${organizationId}" }) { id service isDisconnected } }`;
  return (await graphql(modern.server.url, authorization, { query })).body.data.channels;
}

interface Answered {
  __typename: string;
}

const isAnswered = (value: unknown): value is Answered =>
  typeof value === 'object' && value !== null && '__typename' in value;

/** Notes which member each union of the answer was, as `Union.Member`. */
function note(value: unknown, type: GraphQLOutputType): void {
  const named = getNamedType(type);
  for (const one of [value].flat().filter(isAnswered)) {
    if (isUnionType(named)) seen.add(`${named.name}.${one.__typename}`);
    const member = client.schema.getType(one.__typename);
    const fields = isObjectType(member) ? Object.values(member.getFields()) : [];
    for (const field of fields) note(Reflect.get(one, field.name), field.type);
  }
}

/** Runs an operation with every field of its answer, and returns what stands under its name. */
async function run(operation: string, args: object = {}) {
  const { status, body } = await client.run(operation, args);
  expect({ operation, status, errors: body.errors }).toEqual({ operation, status: 200, errors: undefined });
  const roots = [client.schema.getQueryType(), client.schema.getMutationType()];
  const field = roots.map((root) => root?.getFields()[operation]).find(Boolean);
  if (field) note(body.data[operation], field.type);
  return body.data[operation];
}

/** The organization with room for everything, and channels of it that answer differently. */
async function lookAround(): Promise<typeof own> {
  const organizations = await organizationsOf(bearer);
  const [bakery] = organizations.toSorted((a, b) => b.limits.ideas - a.limits.ideas).map(({ id }) => id);
  if (bakery === undefined) throw new Error('the demo has no organization');
  const channels = await channelsOf(bearer, bakery);
  const one = (what: (channel: Channel) => boolean) => channels.find(what)?.id ?? 'none';
  return {
    bakery,
    channel: one(({ service }) => service === 'twitter'),
    disconnected: one(({ isDisconnected }) => isDisconnected),
    business: one(({ service }) => service === 'googlebusiness'),
    film: one(({ service }) => service === 'youtube'),
  };
}

withModern();
beforeAll(async () => {
  bearer = `Bearer ${(await obtainTokens({ base, parameters: { scope: EVERYTHING } }))['access_token']}`;
  const second = `Bearer ${(await obtainTokens({ base, person: SECOND }))['access_token']}`;
  client = await generateClient(base, bearer);
  own = await lookAround();
  key = `Bearer ${keyOn(await createKey(base, await signedIn(base)))}`;
  const [theirs] = await organizationsOf(second);
  const [channel] = await channelsOf(second, theirs?.id ?? '');
  foreign = { organization: theirs?.id ?? '', channel: channel?.id ?? '' };
});

const post = (changes: object = {}) => ({
  input: {
    channelId: own.channel,
    schedulingType: 'automatic',
    mode: 'customScheduled',
    dueAt: TOMORROW,
    text: 'Rye bread from eight o’clock.',
    ...changes,
  },
});
const idea = (changes: object = {}) => ({
  input: { organizationId: own.bakery, content: { title: 'Rye', text: 'Why rye takes a day.' }, ...changes },
});
const snippet = (changes: object = {}) => ({
  input: { organizationId: own.bakery, name: 'Hours', text: 'Tuesday to Sunday, 7 to 13.', ...changes },
});

test('it is generated from what the server says of itself, and runs every operation', async () => {
  const ran = new Set<string>();
  const call = (operation: string, args?: object) => {
    ran.add(operation);
    return run(operation, args);
  };
  const account = await call('account');
  expect(account.organizations).toHaveLength(2);
  const channels = await call('channels', { input: { organizationId: own.bakery } });
  expect((await call('channel', { input: { id: channels[0].id } })).id).toBe(channels[0].id);
  const { post: created } = await call('createPost', post());
  expect((await call('post', { input: { id: created.id } })).text).toBe('Rye bread from eight o’clock.');
  const edited = await call('editPost', { input: { id: created.id, text: 'Rye bread from nine.' } });
  expect(edited.post.text).toBe('Rye bread from nine.');
  const moved = await call('movePostInQueue', { input: { id: created.id, position: 'top' } });
  expect([moved.post.id, moved.post.shareMode]).toEqual([created.id, 'addToQueue']);
  const limits = await call('dailyPostingLimits', { input: { channelIds: [own.channel] } });
  expect(limits).toEqual([expect.objectContaining({ channelId: own.channel, isAtLimit: false })]);
  const posts = await call('posts', { input: { organizationId: own.bakery }, first: 20 });
  expect(posts.edges.map((edge: { node: { id: string } }) => edge.node.id)).toContain(created.id);
  expect((await call('deletePost', { input: { id: created.id } })).id).toBe(created.id);
  const template = { organizationId: own.bakery, title: 'Today', body: '{{bread}}', description: 'Bread' };
  const { postTemplate } = await call('createPostTemplate', { input: template });
  const { id } = postTemplate;
  expect((await call('postTemplate', { input: { id } })).body).toBe('{{bread}}');
  await call('updatePostTemplate', { input: { id, title: 'Tomorrow' } });
  const templates = await call('postTemplates', { input: { organizationId: own.bakery } });
  expect(templates.edges.map((edge: { node: { id: string } }) => edge.node.id)).toContain(id);
  expect(await call('deletePostTemplate', { input: { id } })).toEqual({
    __typename: 'EmptySuccess',
    _empty: '',
  });
  ran.add('aggregatedPostMetrics');
  const year = { startDateTime: '2026-01-01T00:00:00Z', endDateTime: '2026-12-31T00:00:00Z' };
  const input = { organizationId: own.bakery, ...year };
  const metrics = await client.run('aggregatedPostMetrics', { input }, key);
  expect(metrics.body.data.aggregatedPostMetrics.metrics).toHaveLength(3);
  const groups = await call('ideaGroups', { input: { organizationId: own.bakery } });
  expect(groups.map(({ name }: { name: string }) => name)).toEqual(['Seasons', 'Behind the counter']);
  const made = await call('createIdea', idea());
  const ideas = await call('ideas', { input: { organizationId: own.bakery }, first: 100 });
  expect(ideas.edges.map((edge: { node: { id: string } }) => edge.node.id)).toContain(made.id);
  const { snippet: kept } = await call('createSnippet', snippet());
  expect((await call('snippet', { input: { id: kept.id } })).name).toBe('Hours');
  await call('updateSnippet', { input: { id: kept.id, name: 'Opening hours' } });
  const snippets = await call('snippets', { input: { organizationId: own.bakery } });
  expect(snippets.map(({ name }: { name: string }) => name)).toContain('Opening hours');
  expect((await call('deleteSnippet', { input: { id: kept.id } })).id).toBe(kept.id);
  const renamed = await call('updateAccount', { input: { name: 'Dana D.' } });
  expect(renamed.account.name).toBe('Dana D.');
  expect([...ran].toSorted()).toEqual(client.operations.toSorted());
});

type Refusal = [operation: string, args: () => object, member: string];

const refusals: Refusal[] = [
  ['createPost', () => post({ channelId: UNKNOWN }), 'NotFoundError'],
  ['createPost', () => post({ channelId: foreign.channel }), 'NotFoundError'],
  ['createPost', () => post({ channelId: own.disconnected }), 'UnauthorizedError'],
  ['createPost', () => post({ text: '' }), 'InvalidInputError'],
  ['editPost', () => ({ input: { id: UNKNOWN, text: 'x' } }), 'NotFoundError'],
  ['deletePost', () => ({ input: { id: UNKNOWN } }), 'VoidMutationError'],
  [
    'createPostTemplate',
    () => ({ input: { organizationId: UNKNOWN, title: 'a', body: 'b' } }),
    'VoidMutationError',
  ],
  ['updatePostTemplate', () => ({ input: { id: UNKNOWN } }), 'VoidMutationError'],
  ['deletePostTemplate', () => ({ input: { id: UNKNOWN } }), 'VoidMutationError'],
  ['movePostInQueue', () => ({ input: { id: UNKNOWN, position: 'top' } }), 'VoidMutationError'],
  ['createIdea', () => idea({ organizationId: foreign.organization }), 'UnauthorizedError'],
  ['createIdea', () => idea({ content: {} }), 'InvalidInputError'],
  ['createSnippet', () => snippet({ organizationId: foreign.organization }), 'NotFoundError'],
  ['createSnippet', () => snippet({ name: '' }), 'InvalidInputError'],
  ['updateSnippet', () => ({ input: { id: UNKNOWN, name: 'x' } }), 'NotFoundError'],
  ['deleteSnippet', () => ({ input: { id: UNKNOWN } }), 'VoidMutationError'],
  ['updateAccount', () => ({ input: { timezone: 'Mars/Olympus' } }), 'InvalidInputError'],
];

test.each(refusals)(
  '%s is refused by a member of its union under 200 (%#)',
  async (operation, args, member) => {
    const answer = await run(operation, args());
    expect([answer.__typename, answer.message]).toEqual([member, expect.any(String)]);
  },
);

test('a full organization is LimitReachedError', async () => {
  await whileFull(modern, own.bakery, async () => {
    expect((await run('createPost', post())).__typename).toBe('LimitReachedError');
    expect((await run('createIdea', idea())).__typename).toBe('LimitReachedError');
  });
});

test('a day that is full is RestProxyError with a code of the older generation', async () => {
  const { film } = own;
  // Far behind everything that the demo has scheduled.
  const dueAt = new Date(Date.now() + 400 * 86_400_000).toISOString();
  const content = { channelId: film, dueAt, assets: [{ video: { url: 'https://films.example/rolls.mp4' } }] };
  const metadata = { youtube: { title: 'Rolls', categoryId: '26' } };
  const answers = [];
  // oxlint-disable-next-line no-await-in-loop -- eleven of them
  while (answers.length < 11) answers.push(await run('createPost', post({ ...content, metadata })));
  expect(answers.map(({ code }) => code)).toEqual([...Array.from({ length: 10 }, () => undefined), 1023]);
});

test.each([
  ['posts', 'createPost', () => post(), 'UnexpectedError'],
  ['ideas', 'createIdea', () => idea(), 'UnexpectedError'],
  ['snippets', 'createSnippet', () => snippet(), 'UnexpectedError'],
  ['accounts', 'updateAccount', () => ({ input: { name: 'Never' } }), 'UnexpectedError'],
])('a database that refuses %s is a member of the union of %s', async (table, operation, args, member) => {
  await whileBroken(modern, table, async () => {
    const answer = await run(operation, args());
    expect(answer).toEqual({ __typename: member, message: 'An unexpected error occurred' });
  });
});

test('posts of a business profile have details of three kinds', async () => {
  const db = new Sqlite(modern.settings.databaseFile);
  const unlock = `update channels set document = json_set(document, '$.isLocked', json('false')) where id = ?`;
  db.prepare(unlock).run(own.business);
  db.close();
  const [when, until] = [1, 2].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
  const channelId = own.business;
  const dates = { title: 'Open oven', startDate: when, endDate: until };
  for (const google of [
    { type: 'event', detailsEvent: { ...dates, isFullDayEvent: true, button: 'book' } },
    { type: 'offer', detailsOffer: { ...dates, code: 'RYE' } },
    { type: 'whats_new', detailsWhatsNew: { button: 'learn_more', link: 'https://bakery.example/' } },
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- three of them
    const answer = await run('createPost', post({ channelId, metadata: { google } }));
    expect([answer.message, answer.post?.metadata.type]).toEqual([undefined, google.type]);
  }
});

/** A page of 20 is the largest that may be asked for every field there is: more would cost too much. */
async function runAllPosts(organizationId: string, after?: string): Promise<void> {
  const { pageInfo } = await run('posts', { input: { organizationId }, first: 20, after });
  if (pageInfo.hasNextPage) await runAllPosts(organizationId, pageInfo.endCursor);
}

test('every member of every union was produced above, or is named here with its reason', async () => {
  for (const { id } of await organizationsOf(bearer)) {
    // oxlint-disable-next-line no-await-in-loop -- two of them
    await run('channels', { input: { organizationId: id } });
    // oxlint-disable-next-line no-await-in-loop
    await runAllPosts(id);
  }
  const unions = Object.values(client.schema.getTypeMap()).filter(isUnionType);
  const members = unions.flatMap((union) => union.getTypes().map(({ name }) => `${union.name}.${name}`));
  const missing = members.filter((member) => !seen.has(member));
  expect(missing.toSorted()).toEqual(Object.keys(UNREACHABLE).toSorted());
});
