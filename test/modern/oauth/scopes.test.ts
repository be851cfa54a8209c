import {
  buildClientSchema,
  getIntrospectionQuery,
  getNamedType,
  type GraphQLField,
  type GraphQLInputType,
  GraphQLInputObjectType,
  type GraphQLSchema,
  isEnumType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  isScalarType,
} from 'graphql';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { scopes } from '../../../src/modern/scopes.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { type Ask, asker, bearerFor } from '../support/api-caller.ts';
import { DEMO } from '../support/modern.ts';
import { base, modern, withModern } from '../support/running-modern.ts';

/** Written by hand, so that neither the server's table nor its schema can change unseen. */
const expected: Record<string, string> = {
  account: 'account:read',
  channels: 'account:read',
  channel: 'account:read',
  updateAccount: 'account:write',
  posts: 'posts:read',
  post: 'posts:read',
  dailyPostingLimits: 'posts:read',
  createPost: 'posts:write',
  editPost: 'posts:write',
  deletePost: 'posts:write',
  postTemplate: 'posts:read',
  postTemplates: 'posts:read',
  createPostTemplate: 'posts:write',
  updatePostTemplate: 'posts:write',
  deletePostTemplate: 'posts:write',
  movePostInQueue: 'posts:write',
  ideas: 'ideas:read',
  ideaGroups: 'ideas:read',
  createIdea: 'ideas:write',
  snippets: 'snippets:read',
  snippet: 'snippets:read',
  createSnippet: 'snippets:write',
  updateSnippet: 'snippets:write',
  deleteSnippet: 'snippets:write',
};

/** Open to personal keys alone, whatever the scopes of an app. */
const keysOnly: Record<string, string> = { aggregatedPostMetrics: 'posts:read' };

let schema: GraphQLSchema;
const asks = new Map<string, Ask>();
withModern();
beforeAll(async () => {
  const browser = new CookieWalker();
  for (const scope of scopes) {
    // One after the other, as one person in one browser does it.
    // oxlint-disable-next-line no-await-in-loop
    asks.set(scope, asker(base, await bearerFor(base, DEMO, { browser, scope })));
  }
  const { body } = await askWith('offline_access')(getIntrospectionQuery());
  schema = buildClientSchema(body.data);
});

function askWith(scope: string): Ask {
  const ask = asks.get(scope);
  if (!ask) throw new Error(`no token for ${scope}`);
  return ask;
}

/** The smallest value that fits; every id in it names nothing. */
function sample(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return sample(type.ofType);
  if (isListType(type)) return [];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isScalarType(type)) {
    const values: Record<string, unknown> = {
      Int: 1,
      Float: 1,
      Boolean: true,
      DateTime: new Date().toISOString(),
    };
    return values[type.name] ?? 'nothing';
  }
  const fields = type instanceof GraphQLInputObjectType ? Object.values(type.getFields()) : [];
  return Object.fromEntries(
    fields.filter(isRequiredInputField).map((field) => [field.name, sample(field.type)]),
  );
}

const inParentheses = (text: string) => (text ? `(${text})` : '');

function callOf(kind: 'query' | 'mutation', field: GraphQLField<unknown, unknown>) {
  const required = field.args.filter(({ type }) => isNonNullType(type));
  const declared = required.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const passed = required.map(({ name }) => `${name}: $${name}`).join(', ');
  const selection = isScalarType(getNamedType(field.type)) ? '' : '{ __typename }';
  return {
    query: `${kind} ${inParentheses(declared)} { ${field.name}${inParentheses(passed)} ${selection} }`,
    variables: Object.fromEntries(required.map(({ name, type }) => [name, sample(type)])),
  };
}

function calls() {
  const queries = Object.values(schema.getQueryType()?.getFields() ?? {});
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  return new Map([
    ...queries.map((field) => [field.name, callOf('query', field)] as const),
    ...mutations.map((field) => [field.name, callOf('mutation', field)] as const),
  ]);
}

/** Everything people own, as it lies in the database. */
function belongings(): object {
  const db = new Sqlite(modern.settings.databaseFile, { readonly: true });
  const tables = [
    'accounts',
    'organizations',
    'channels',
    'posts',
    'post_templates',
    'ideas',
    'idea_groups',
    'snippets',
  ];
  const rows = tables.map((table) => [table, db.prepare(`select * from ${table}`).all()]);
  db.close();
  return Object.fromEntries(rows);
}

const isForbidden = ({ status, body }: Awaited<ReturnType<Ask>>) =>
  status === 200 && !body.data && body.errors?.[0].extensions?.code === 'FORBIDDEN';

test('the operations are those of the table, and each of their scopes is one of the nine', () => {
  expect([...calls().keys()].toSorted()).toEqual(Object.keys({ ...expected, ...keysOnly }).toSorted());
  for (const scope of Object.values(expected)) expect(scopes).toContain(scope);
});

test.each(Object.entries(expected))(
  '%s runs with %s and with none of the other eight',
  async (name, scope) => {
    const call = calls().get(name);
    const before = belongings();
    const answers = await Promise.all(
      scopes.map(async (given) => [given, await askWith(given)(call?.query ?? '', call?.variables)] as const),
    );
    const open = answers.filter(([, answer]) => !isForbidden(answer));
    expect(open.map(([given]) => given)).toEqual([scope]);
    expect(open[0]?.[1].status).toBe(200);
    expect(belongings()).toEqual(before);
  },
);

test.each(Object.keys(keysOnly))('%s runs for no app, whatever its scope', async (name) => {
  const call = calls().get(name);
  const answers = await Promise.all(
    scopes.map((given) => askWith(given)(call?.query ?? '', call?.variables)),
  );
  expect(answers.map(isForbidden)).toEqual(scopes.map(() => true));
});

test('a forbidden operation says which scope is missing', async () => {
  const { body } = await askWith('posts:read')('{ account { id } }');
  expect(body).toEqual({
    data: null,
    errors: [
      {
        message: 'The access token lacks the scope account:read',
        locations: expect.any(Array),
        path: ['account'],
        extensions: { code: 'FORBIDDEN' },
      },
    ],
  });
});

describe('a change before something forbidden is not made', () => {
  const share = `createPost(input: { channelId: "5e1f0c9a7b3d4e2f8a6c3d01", schedulingType: automatic, mode: shareNow,
    text: "Published" }) { __typename }`;
  const forbidden = `b: createSnippet(input: { organizationId: "5e1f0c9a7b3d4e2f8a6c2d01", name: "a", text: "b" }) { __typename }`;

  test.each([
    ['beside it', `mutation { ${share} ${forbidden} }`],
    ['in an inline fragment', `mutation { ${share} ... { ... on Mutation { ${forbidden} } } }`],
    [
      'in a fragment of a fragment',
      `mutation { ${share} ...f } fragment f on Mutation { ...g }
      fragment g on Mutation { ${forbidden} }`,
    ],
    [
      'spread twice, once left out',
      `mutation { ${share} ...f @skip(if: true) ...f } fragment f on Mutation { ${forbidden} }`,
    ],
    [
      'included by a variable',
      `mutation($yes: Boolean = true) { ${share} ... @include(if: $yes) { ${forbidden} } }`,
    ],
  ])('%s', async (_what, query) => {
    const before = belongings();
    const { status, body } = await askWith('posts:write')(query);
    expect([status, body.data, body.errors]).toMatchObject([
      200,
      null,
      [{ path: ['b'], extensions: { code: 'FORBIDDEN' } }],
    ]);
    expect(belongings()).toEqual(before);
  });

  test.each([
    ['left out', `mutation { ${share} ... @include(if: false) { ${forbidden} } }`],
    [
      'left out by a variable',
      `mutation($no: Boolean = true) { ${share} ... @skip(if: $no) { ${forbidden} } }`,
    ],
  ])('but something %s forbids nothing', async (_what, query) => {
    const { body } = await askWith('posts:write')(query);
    expect(body).toEqual({ data: { createPost: { __typename: 'PostActionSuccess' } } });
  });
});

test('a forbidden operation beside an allowed one is refused and changes nothing', async () => {
  const query = `mutation { a: deleteSnippet(input: { id: "nothing" }) { __typename }
    b: updateAccount(input: { name: "Taken over" }) { __typename } }`;
  const before = belongings();
  const { status, body } = await askWith('snippets:write')(query);
  expect([status, body.data, body.errors[0].path]).toEqual([200, null, ['b']]);
  expect(belongings()).toEqual(before);
});

test('a condition that is null where a root field needs one is an error of the query, not of the server', async () => {
  const query = 'query($v: Boolean = true) { account @include(if: $v) { id } }';
  const { status, body } = await askWith('account:read')(query, { v: null });
  expect([status, body.data]).toEqual([200, null]);
  expect(body.errors[0].message).toContain('must not be null');
});
