import { BAKERY, RECORDS, RUNNERS, whileWritesFail } from '../support/api-caller.ts';
import { ask, askSecond, withTwoBearers } from '../support/bearers.ts';
import { modern } from '../support/running-modern.ts';

withTwoBearers();

const FIELDS = 'id organizationId name text createdAt updatedAt';
const ANSWER = `__typename ... on SnippetActionSuccess { snippet { ${FIELDS} } } ... on MutationError { message }`;

const list = async (organizationId: string, as = ask) =>
  (await as(`{ snippets(input: { organizationId: "${organizationId}" }) { ${FIELDS} } }`)).body;

async function create(input: object, as = ask) {
  const query = `mutation($input: CreateSnippetInput!) { createSnippet(input: $input) { ${ANSWER} } }`;
  return (await as(query, { input })).body.data.createSnippet;
}

async function update(input: object, as = ask) {
  const query = `mutation($input: UpdateSnippetInput!) { updateSnippet(input: $input) { ${ANSWER} } }`;
  return (await as(query, { input })).body.data.updateSnippet;
}

async function remove(id: string, as = ask) {
  const query = `mutation($id: SnippetId!) { deleteSnippet(input: { id: $id }) {
    __typename ... on DeleteSnippetSuccess { id } ... on MutationError { message } } }`;
  return (await as(query, { id })).body.data.deleteSnippet;
}

const find = async (id: string, as = ask) =>
  (await as(`query($id: SnippetId!) { snippet(input: { id: $id }) { ${FIELDS} } }`, { id })).body;

test('the demo has six in the two organizations of the first person and one of the second', async () => {
  const [bakery, runners] = [await list(BAKERY), await list(RUNNERS)];
  expect([...bakery.data.snippets, ...runners.data.snippets]).toHaveLength(6);
  expect((await list(RECORDS, askSecond)).data.snippets).toHaveLength(1);
});

test('one is created, listed last, found, changed and deleted', async () => {
  const { __typename, snippet } = await create({
    organizationId: BAKERY,
    name: '  Greeting ',
    text: 'Hello\nthere',
  });
  expect(__typename).toBe('SnippetActionSuccess');
  expect(snippet).toMatchObject({ organizationId: BAKERY, name: 'Greeting', text: 'Hello\nthere' });
  expect(snippet.id).toMatch(/^[0-9a-f]{24}$/);
  expect((await list(BAKERY)).data.snippets.at(-1)).toEqual(snippet);
  expect((await find(snippet.id)).data.snippet).toEqual(snippet);

  const changed = (await update({ id: snippet.id, text: 'Good morning' })).snippet;
  expect(changed).toEqual({ ...snippet, text: 'Good morning', updatedAt: changed.updatedAt });
  expect(Date.parse(changed.updatedAt)).toBeGreaterThanOrEqual(Date.parse(snippet.updatedAt));
  expect((await update({ id: snippet.id, name: 'Morning' })).snippet.text).toBe('Good morning');

  expect(await remove(snippet.id)).toEqual({ __typename: 'DeleteSnippetSuccess', id: snippet.id });
  expect(await remove(snippet.id)).toEqual({ __typename: 'VoidMutationError', message: 'Snippet not found' });
  expect((await find(snippet.id)).errors[0].extensions.code).toBe('NOT_FOUND');
});

test('all that is wrong is said at once, and nothing is written', async () => {
  const before = await list(BAKERY);
  const answers = [
    await create({ organizationId: BAKERY, name: ' ', text: '' }),
    await create({ organizationId: BAKERY, name: 'two\nlines', text: 'x'.repeat(5001) }),
    await update({ id: before.data.snippets[0].id, name: 'n'.repeat(101), text: 'bell \u0007' }),
    await update({ id: before.data.snippets[0].id, name: null, text: null }),
    await create({ organizationId: BAKERY, name: '', text: `a${' '.repeat(5000)}` }),
    await update({ id: before.data.snippets[0].id, name: '', text: ' \n' }),
  ];
  const message =
    'The name must be one line of 1 to 100 characters that can be seen, with a letter, a digit or an emoji. The text must have 1 to 5,000 characters';
  for (const answer of answers) expect(answer).toEqual({ __typename: 'InvalidInputError', message });
  expect(await list(BAKERY)).toEqual(before);
});

test.each([
  ['NUL', 'a\0b', 'Text cannot hold the character NUL'],
  ['half a character', 'a\ud800b', 'Text cannot hold half a character (a lone surrogate)'],
])('%s in a name or a text is refused, and nothing is written', async (_what, broken, message) => {
  const before = await list(BAKERY);
  const answers = [
    await create({ organizationId: BAKERY, name: 'a', text: broken }),
    await create({ organizationId: BAKERY, name: broken, text: 'b' }),
    await update({ id: before.data.snippets[0].id, name: broken }),
    await update({ id: before.data.snippets[0].id, text: broken }),
  ];
  const name = 'The name must be one line';
  expect(answers).toEqual(
    [message, name, name, message].map((words) => ({
      __typename: 'InvalidInputError',
      message: expect.stringContaining(words),
    })),
  );
  expect(await list(BAKERY)).toEqual(before);
});

test('whole characters beyond the first plane are kept', async () => {
  const { snippet } = await create({ organizationId: BAKERY, name: '👩🏽‍🍳', text: '𝒯𝓎𝓅𝑒 🥨' });
  expect(snippet).toMatchObject({ name: '👩🏽‍🍳', text: '𝒯𝓎𝓅𝑒 🥨' });
  expect((await remove(snippet.id)).__typename).toBe('DeleteSnippetSuccess');
});

test("somebody else's snippets and organizations look like ones that never were", async () => {
  const [foreign] = (await list(RECORDS, askSecond)).data.snippets;
  for (const [organizationId, id] of [
    [RECORDS, foreign.id],
    ['nowhere', 'nothing'],
  ]) {
    for (const { data, errors } of [await list(organizationId), await find(id)])
      expect([data, errors[0].extensions.code]).toEqual([null, 'NOT_FOUND']);
    expect(await create({ organizationId, name: 'a', text: 'b' })).toEqual({
      __typename: 'NotFoundError',
      message: 'Organization not found',
    });
    expect(await update({ id, name: 'taken' })).toEqual({
      __typename: 'NotFoundError',
      message: 'Snippet not found',
    });
    expect((await remove(id)).__typename).toBe('VoidMutationError');
  }
  expect((await find(foreign.id, askSecond)).data.snippet).toEqual(foreign);
});

/** Several at once, as many as the aliases of a query allow. */
const createAll = (names: string[]) =>
  ask(
    `mutation { ${names
      .map(
        (name, index) => `m${index}: createSnippet(input: {
        organizationId: "${RUNNERS}", name: "${name}", text: "text" }) { ...Answer }`,
      )
      .join(' ')} } fragment Answer on SnippetActionPayload { __typename ... on MutationError { message } }`,
  );

test('an organization holds 500', async () => {
  const names = Array.from({ length: 500 }, (_, index) => `Snippet ${index}`);
  const batches = Array.from({ length: 20 }, (_, index) => names.slice(index * 25, index * 25 + 25));
  const answers = await Promise.all(batches.map(createAll));
  const results = answers.flatMap(({ body }) => Object.values<{ __typename: string }>(body.data));
  const refused = results.filter(({ __typename }) => __typename === 'InvalidInputError');
  expect((await list(RUNNERS)).data.snippets).toHaveLength(500);
  expect(refused).toHaveLength(2);
  expect(refused[0]).toMatchObject({
    message: 'An organization can hold 500 snippets. Delete one first.',
  });
});

test('a database that cannot write is an unexpected error, and the snippet stays as it was', async () => {
  const [first] = (await list(BAKERY)).data.snippets;
  const failed = { message: 'An unexpected error occurred' };
  await whileWritesFail(modern, ['insert', 'snippets'], async () =>
    expect(await create({ organizationId: BAKERY, name: 'a', text: 'b' })).toEqual({
      __typename: 'UnexpectedError',
      ...failed,
    }),
  );
  await whileWritesFail(modern, ['update', 'snippets'], async () =>
    expect(await update({ id: first.id, name: 'a' })).toEqual({ __typename: 'UnexpectedError', ...failed }),
  );
  await whileWritesFail(modern, ['delete', 'snippets'], async () =>
    expect(await remove(first.id)).toEqual({ __typename: 'VoidMutationError', ...failed }),
  );
  expect((await find(first.id)).data.snippet).toEqual(first);
});
