import { getIntrospectionQuery } from 'graphql';
import { BAKERY } from '../support/api-caller.ts';
import { ask, bearer, withBearer } from '../support/bearers.ts';
import { graphql } from '../support/modern.ts';
import { modern } from '../support/running-modern.ts';

withBearer();

const DEPTH = 'The query is deeper than the limit of 25 levels';
const ALIASES = 'The query has more than the limit of 30 aliases';
const DIRECTIVES = 'The query has more than the limit of 50 directives';
const COST = 'The query costs more than the limit of 175,000 points';
const TOKENS = 'The query has more than the limit of 15,000 tokens';
const NESTED = 'The query is nested too deeply';

const send = (body: Parameters<typeof graphql>[2]) => graphql(modern.server.url, bearer, body);

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ');
const nested = (count: number) => `{ ${'a { '.repeat(count)} id ${'}'.repeat(count + 1)}`;
const introspection = (count: number) =>
  `{ __schema { ${'ofType { '.repeat(count)} name ${'}'.repeat(count + 2)}`;

/** Each answer takes 0.2 s at most; a machine that is busy with other tests gets more. */
const IN_TIME = 10_000;

/** What comes of it, and that it came in time. */
async function outcome(query: string) {
  const started = performance.now();
  const { status, headers, body } = await ask(query);
  expect(performance.now() - started).toBeLessThan(IN_TIME);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  return { status, body };
}

describe('a limit is named in a plain error without a code, and nothing runs', () => {
  test.each([
    ['26 levels', nested(25), DEPTH],
    ['300 levels', nested(300), DEPTH],
    ['7,000 levels', nested(7000), NESTED],
    ['26 levels of introspection', introspection(25), DEPTH],
    [
      'levels hidden in fragments',
      `{ ...f0 } ${times(40, (i) => `fragment f${i} on Query { a { ...f${i + 1} } }`)} fragment f40 on Query { a }`,
      DEPTH,
    ],
    ['31 aliases', `{ account { ${times(31, (i) => `a${i}: id`)} } }`, ALIASES],
    ['3,000 aliases', `{ account { ${times(3000, (i) => `a${i}: id`)} } }`, ALIASES],
    ['31 aliases of the type name', `{ ${times(31, (i) => `a${i}: __typename`)} }`, ALIASES],
    [
      'aliases hidden in fragments',
      `{ account { ...a } } fragment a on Account { ${times(16, (i) => `a${i}: id`)} ...b }
        fragment b on Account { ${times(16, (i) => `b${i}: id`)} }`,
      ALIASES,
    ],
    [
      'aliases hidden in inline fragments',
      `{ account { ${times(31, (i) => `... { a${i}: id }`)} } }`,
      ALIASES,
    ],
    ['51 directives', `{ account { id ${times(51, () => '@include(if: true)')} } }`, DIRECTIVES],
    ['2,000 directives', `{ account { id ${times(2000, () => '@skip(if: false)')} } }`, DIRECTIVES],
    [
      'directives hidden in a fragment',
      `{ account { ...a } } fragment a on Account { ${times(51, () => 'id @include(if: true)')} }`,
      DIRECTIVES,
    ],
    [
      'a fragment that doubles sixty times',
      `{ ...f0 } ${times(60, (i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`)}
        fragment f60 on Query { account { id } }`,
      COST,
    ],
    [
      'a page of ten million',
      `{ ideas(input: { organizationId: "${BAKERY}" }, first: 10000000) { edges { cursor } } }`,
      COST,
    ],
    ['15,001 tokens', `{ account { ${'id '.repeat(15_000)} } }`, TOKENS],
    ['10,000 aliases', `{ account { ${times(10_000, (i) => `a${i}: id`)} } }`, TOKENS],
    [
      'a list of 7,000 lists as an argument',
      `{ channel(input: ${'['.repeat(7000)}${']'.repeat(7000)}) { id } }`,
      NESTED,
    ],
  ])('%s', async (_what, query, message) => {
    expect(await outcome(query)).toEqual({ status: 200, body: { errors: [{ message }] } });
  });
});

describe('up to the limits a query is looked at and run', () => {
  test.each([
    ['30 aliases', `{ account { ${times(30, (i) => `a${i}: id`)} } }`],
    ['50 directives', `{ account { ${times(50, () => 'id @include(if: true)')} } }`],
    [
      'a whole introspection',
      getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true, oneOf: true }),
    ],
    [
      'the dearest page',
      `{ ideas(input: { organizationId: "${BAKERY}" }, first: 100) { edges { cursor node { id organizationId groupId position
        createdAt updatedAt content { title text aiAssisted services date tags { id name color }
        media { id url alt thumbnailUrl type size source { name id author authorUrl } } } } } pageInfo { endCursor } } }`,
    ],
  ])('%s', async (_what, query) => {
    const { status, body } = await outcome(query);
    expect([status, body.errors]).toEqual([200, undefined]);
  });

  test('25 levels are only an unknown field', async () => {
    const { status, body } = await outcome(nested(24));
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
  });
});

describe('what no limit catches is refused before it runs, in time', () => {
  test.each([
    [
      'fragments in a circle',
      '{ account { ...a } } fragment a on Account { ...b } fragment b on Account { ...a }',
    ],
    ['a fragment that spreads itself', '{ ...a } fragment a on Query { ...a }'],
    [
      '1,500 fragments nobody uses',
      `{ account { id } } ${times(1500, (i) => `fragment f${i} on Account { id }`)}`,
    ],
    [
      'one field 1,000 times under as many arguments',
      `{ ${times(1000, (i) => `channel(input: { id: "${i}" }) { id }`)} }`,
    ],
    ['7,000 unknown fields', `{ account { ${times(7000, (i) => `x${i}`)} } }`],
    ['3,000 unknown arguments', `{ account(${times(3000, (i) => `x${i}: 1`)}) { id } }`],
    ['1,000 operations without a name', times(1000, () => '{ account { id } }')],
    [
      'introspection that goes in circles',
      `{ __schema { types { ${'fields { type { '.repeat(5)} name ${'} }'.repeat(5)} } } }`,
    ],
    ['200 kB of brackets', '{'.repeat(200_000), 'GRAPHQL_PARSE_FAILED'],
    ['a subscription', 'subscription { account { id } }'],
  ])('%s', async (_what, query, code = 'GRAPHQL_VALIDATION_FAILED') => {
    const { status, body } = await outcome(query);
    expect([status, body.errors[0].extensions.code]).toEqual([400, code]);
    expect(body.data).toBeUndefined();
  });

  test('one field 14,000 times is answered or refused, in time', async () => {
    const { status, body } = await outcome(`{ account { ${'id '.repeat(14_000)} } }`);
    expect([status, Object.keys(body)]).toEqual([400, ['errors']]);
  });
});

/** Each costs 21,340 points with a page of 100 and 4,268 with one of 20. */
const lists = (count: number, first = '', name = 'i') =>
  times(
    count,
    (
      i,
    ) => `${name}${i}: ideas(input: { organizationId: "${BAKERY}" } ${first}) { edges { cursor node { id organizationId
      groupId position createdAt updatedAt content { title text aiAssisted services date tags { id name color }
      media { id url alt thumbnailUrl type size source { name id author authorUrl } } } } } }`,
  );

describe('the size of a page counts in the cost, wherever it comes from', () => {
  test.each([
    ['a number', `{ ${lists(9, 'first: 100')} }`, {}],
    ['a variable', `query($n: Int) { ${lists(9, 'first: $n')} }`, { n: 100 }],
    ['a variable over its default', `query($n: Int = 1) { ${lists(9, 'first: $n')} }`, { n: 100 }],
    ['the default of a variable', `query($n: Int = 100) { ${lists(9, 'first: $n')} }`, {}],
    [
      'the default of a variable named as a property',
      `query($constructor: Int = 100) { ${lists(9, 'first: $constructor')} }`,
      {},
    ],
    [
      'the default in one of two operations',
      `query A($n: Int = 100) { ...f } query B($n: Int = 1) { ...f } fragment f on Query { ${lists(9, 'first: $n')} }`,
      {},
    ],
    [
      'a variable in a fragment',
      `query($n: Int) { ...f } fragment f on Query { ${lists(9, 'first: $n')} }`,
      { n: 100 },
    ],
    [
      'numbers, and ten times 20 that nobody asked for',
      `{ ${lists(7, 'first: 100')} ${lists(10, '', 'j')} }`,
      {},
    ],
  ])('100 as %s', async (_what, query, variables) => {
    const { status, body } = await ask(query, variables);
    expect([status, body]).toEqual([200, { errors: [{ message: COST }] }]);
  });

  test.each([
    ['nothing', `{ ${lists(9)} }`, {}],
    ['null', `{ ${lists(9, 'first: null')} }`, {}],
    ['a variable that is null', `query($n: Int = 100) { ${lists(9, 'first: $n')} }`, { n: null }],
    ['a variable that is not given', `query($n: Int) { ${lists(9, 'first: $n')} }`, {}],
    ['a number', `{ ${lists(9, 'first: 20')} }`, {}],
    ['a variable under its default', `query($n: Int = 100) { ${lists(9, 'first: $n')} }`, { n: 20 }],
  ])('20 as %s', async (_what, query, variables) => {
    const { status, body } = await ask(query, variables);
    expect([status, body.errors]).toEqual([200, undefined]);
  });
});

test('a query that ran is looked at anew when it comes with other sizes or another name', async () => {
  const query = `query A($n: Int = 100) { ${lists(9, 'first: $n')} } query B { account { id } }`;
  const limitOf = async (variables: object) =>
    (await send({ query, variables, operationName: 'A' })).body.errors?.[0].message;
  expect(await limitOf({ n: 20 })).toBeUndefined();
  expect(await limitOf({ n: 100 })).toBe(COST);
  expect(await limitOf({})).toBe(COST);
  expect(await limitOf({ n: null })).toBeUndefined();
  expect((await send({ query, operationName: 'B', variables: { n: 20 } })).body.data).toEqual({
    account: { id: expect.any(String) },
  });
  expect((await send({ query, operationName: 'C', variables: { n: 20 } })).body.errors).toHaveLength(1);
  expect((await send({ query, variables: { n: 20 } })).body.errors).toHaveLength(1);
});
