import { Sqlite } from '../../../src/shared/sqlite.ts';
import { graphql, obtainTokens, SECOND } from '../support/modern.ts';
import { base, modern, withModern } from '../support/running-modern.ts';

let bearer: string;
let secondBearer: string;
withModern();
beforeAll(async () => {
  bearer = `Bearer ${(await obtainTokens({ base }))['access_token']}`;
  secondBearer = `Bearer ${(await obtainTokens({ base, person: SECOND }))['access_token']}`;
});

const ask = (query: string, variables?: object) => graphql(base, bearer, { query, variables });
const unauthenticated = (message: string) => ({
  errors: [{ message, extensions: { code: 'UNAUTHENTICATED' } }],
});

const CHANNEL_FIELDS = `id organizationId name displayName descriptor service serviceId type avatar timezone isDisconnected
  isLocked isQueuePaused isNew postingSchedule { day times paused } products scopes allowedActions externalLink
  metadata { __typename ... on MastodonMetadata { serverUrl } ... on TwitterMetadata { subscriptionType } }
  linkShortening { isEnabled config { domain name } } postingGoal { goal sentCount scheduledCount status periodStart periodEnd }
  hasActiveMemberDevice showTrendingTopicSuggestions weeklyPostingLimit { __typename } createdAt updatedAt`;

const LIMITS = `channels members scheduledPosts scheduledThreadsPerChannel scheduledStoriesPerChannel generateContent tags
  ideas ideaGroups savedReplies postTemplates`;

async function organizations(
  authorization = bearer,
): Promise<{ id: string; name: string; channelCount: number }[]> {
  const query = '{ account { organizations { id name channelCount } } }';
  return (await graphql(base, authorization, { query })).body.data.account.organizations;
}

async function channelsOf(organizationId: string, filter?: object) {
  const query = `query($input: ChannelsInput!) { channels(input: $input) { ${CHANNEL_FIELDS} } }`;
  const { body } = await ask(query, { input: { organizationId, filter } });
  expect(body.errors).toBeUndefined();
  return body.data.channels;
}

describe('authentication', () => {
  test.each([
    ['no header', undefined, 'An authentication JWT or Access Token is required'],
    ['an unknown token', 'Bearer unknown', 'Access token is not valid'],
    ['a missing scheme', 'unknown', 'Access token is not valid'],
    ['another scheme', 'Basic dTpw', 'Access token is not valid'],
  ])('%s is 401 before the body is looked at', async (_what, authorization, message) => {
    const answer = await graphql(base, authorization, '{ not json');
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual(unauthenticated(message));
  });

  test('the root path answers as /graphql does', async () => {
    const response = await fetch(`${base}/`, { method: 'POST', body: '{}' });
    expect([response.status, await response.json()]).toEqual([
      401,
      unauthenticated('An authentication JWT or Access Token is required'),
    ]);
    const headers = { authorization: bearer, 'content-type': 'application/json' };
    const body = JSON.stringify({ query: '{ account { email } }' });
    const answer = await fetch(`${base}/`, { method: 'POST', headers, body });
    expect(await answer.json()).toEqual({ data: { account: { email: 'demo@grantbridge.example' } } });
  });
});

describe('requests that cannot be run', () => {
  test.each([
    ['malformed JSON', '{ not json', undefined],
    ['an array', '[]', undefined],
    ['no query', { variables: {} }, undefined],
    ['a syntax error', { query: '{ account {' }, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', { query: '{ account { secret } }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'an id that is an object',
      { query: '{ channel(input: { id: {} }) { id } }' },
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'variables that do not fit',
      {
        query: 'query($i: ChannelInput!) { channel(input: $i) { id } }',
        variables: { i: { id: { $ne: 1 } } },
      },
      'BAD_USER_INPUT',
    ],
  ])('%s is 400', async (_what, body, code) => {
    const answer = await graphql(base, bearer, body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].message).toEqual(expect.any(String));
    expect(answer.body.errors[0].extensions?.code).toBe(code);
  });

  test('another content type is 415', async () => {
    const headers = { authorization: bearer, 'content-type': 'text/plain' };
    const response = await fetch(`${base}/graphql`, { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(415);
  });
});

describe('account', () => {
  test('has every recorded field', async () => {
    const { status, body } = await ask(`{ account { id email backupEmail avatar createdAt timezone name
      preferences { timeFormat startOfWeek defaultScheduleOption }
      connectedApps { clientId userId name description website createdAt category scopes }
      organizations { id name ownerEmail channelCount members { totalCount } shouldEnforce2FASetup limits { ${LIMITS} } } } }`);
    expect([status, body.errors]).toEqual([200, undefined]);
    expect(body.data.account).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      email: 'demo@grantbridge.example',
      name: 'Dana Demo',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      connectedApps: [{ clientId: 'public-app', scopes: ['account:read', 'offline_access'] }],
      organizations: [{ channelCount: 9 }, { channelCount: 3 }],
    });
  });

  test('can be narrowed to one organization', async () => {
    const [, wanted] = await organizations();
    const query = 'query($id: String!) { account { organizations(filter: { organizationId: $id }) { id } } }';
    const { body } = await ask(query, { id: wanted?.id });
    expect(body.data.account.organizations).toEqual([{ id: wanted?.id }]);
  });
});

describe('channels', () => {
  test('the demo account has one of every service in two organizations, in different states', async () => {
    const lists = await Promise.all((await organizations()).map(({ id }) => channelsOf(id)));
    const all = lists.flat();
    expect(lists.map((list) => list.length)).toEqual([9, 3]);
    expect(new Set(all.map(({ service }) => service)).size).toBe(12);
    expect(all.filter(({ isDisconnected }) => isDisconnected)).toHaveLength(1);
    expect(all.filter(({ isLocked }) => isLocked)).toHaveLength(1);
    expect(all.filter(({ isQueuePaused }) => isQueuePaused)).toHaveLength(1);
    for (const { postingSchedule } of all) {
      expect(postingSchedule.map(({ day }: { day: string }) => day).join()).toBe(
        'mon,tue,wed,thu,fri,sat,sun',
      );
    }
  });

  test('can be filtered by lock and product', async () => {
    const [first] = await organizations();
    expect(await channelsOf(first?.id ?? '', { isLocked: true })).toHaveLength(1);
    expect(await channelsOf(first?.id ?? '', { isLocked: false })).toHaveLength(8);
    expect(await channelsOf(first?.id ?? '', { product: 'engage' })).toHaveLength(2);
  });

  test('one channel is the same as in the list', async () => {
    const [first] = await organizations();
    const [listed] = await channelsOf(first?.id ?? '');
    const query = `query($id: ChannelId!) { channel(input: { id: $id }) { ${CHANNEL_FIELDS} } }`;
    expect((await ask(query, { id: listed.id })).body).toEqual({ data: { channel: listed } });
  });

  test("somebody else's channel and organization are not found", async () => {
    const [foreign] = await organizations(secondBearer);
    const listed = await graphql(base, secondBearer, {
      query: `{ channels(input: { organizationId: "${foreign?.id}" }) { id } }`,
    });
    const queries = [
      `{ channel(input: { id: "${listed.body.data.channels[0].id}" }) { id } }`,
      '{ channel(input: { id: "no such id" }) { id } }',
      `{ channels(input: { organizationId: "${foreign?.id}" }) { id } }`,
    ];
    for (const query of queries) {
      const { status, body } = await ask(query);
      expect([status, body.data, body.errors[0].extensions.code]).toEqual([200, null, 'NOT_FOUND']);
    }
  });

  test('a row that cannot be read is an unexpected error without its cause', async () => {
    const db = new Sqlite(modern.settings.databaseFile, { timeout: 5000 });
    const [first] = await organizations();
    const [channel] = await channelsOf(first?.id ?? '');
    const read = db.prepare<[string], string>('select document from channels where id = ?').pluck();
    const write = db.prepare('update channels set document = ? where id = ?');
    const document = read.get(channel.id);
    write.run('{ broken', channel.id);
    const { status, body } = await ask(`{ channel(input: { id: "${channel.id}" }) { id } }`);
    write.run(document, channel.id);
    db.close();
    expect([status, body]).toEqual([
      200,
      {
        data: null,
        errors: [{ message: 'An unexpected error occurred', extensions: { code: 'UNEXPECTED' } }],
      },
    ]);
  });

  test('a token without account:read is forbidden', async () => {
    const tokens = await obtainTokens({ base, parameters: { scope: 'posts:read' } });
    const query = '{ account { id } }';
    const { status, body } = await graphql(base, `Bearer ${tokens['access_token']}`, { query });
    expect([status, body.data, body.errors[0].extensions.code]).toEqual([200, null, 'FORBIDDEN']);
  });
});
