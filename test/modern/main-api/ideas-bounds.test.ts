import { BAKERY } from '../support/api-caller.ts';
import { ask, withBearer } from '../support/bearers.ts';

const SEASONS = '5e1f0c9a7b3d4e2f8a6c7d01';

withBearer();

const LIST = `query($input: IdeasInput!) { ideas(input: $input, first: 100) {
  edges { node { id position content { title } } } } }`;

interface Idea {
  id: string;
  position: number;
}

const list = async (filter: object) =>
  (await ask(LIST, { input: { organizationId: BAKERY, ...filter } })).body;

async function inGroup(): Promise<Idea[]> {
  const { data } = await list({ groupFilter: { groups: [SEASONS] } });
  const ideas: Idea[] = data.ideas.edges.map(({ node }: { node: Idea }) => node);
  return ideas.toSorted((a, b) => a.position - b.position);
}

const idsOf = (ideas: Idea[]) => ideas.map(({ id }) => id);
const numbers = Array.from({ length: 25 }, (_, i) => i);

test('seventy-five ideas put behind the same one stand there, the last one first', async () => {
  const create = `mutation($input: CreateIdeaInput!) { ${numbers
    .map((i) => `i${i}: createIdea(input: $input) { ... on Idea { id } }`)
    .join(' ')} }`;
  const [first, ...rest] = await inGroup();
  const group = { groupId: SEASONS, placeAfterId: first?.id };
  const made: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const input = { organizationId: BAKERY, content: { title: 'behind' }, group };
    // oxlint-disable-next-line no-await-in-loop
    const { data } = (await ask(create, { input })).body;
    for (const i of numbers) made.unshift(data[`i${i}`].id);
  }
  const after = await inGroup();
  expect(idsOf(after)).toEqual([first?.id, ...made, ...idsOf(rest)]);
  expect(new Set(after.map(({ position }) => position)).size).toBe(after.length);
});

test.each([
  ['groups', { groupFilter: { groups: Array(101).fill(SEASONS) } }],
  ['tags.in', { tagsFilter: { in: Array(101).fill('a') } }],
])('%s takes no more than 100', async (name, filter) => {
  expect((await list(filter)).errors).toMatchObject([
    { message: `"${name}" takes at most 100 entries`, extensions: { code: 'BAD_USER_INPUT' } },
  ]);
});

const media = { url: 'https://images.example/a.png', type: 'image' };

test.each([
  [
    'a long alternative text',
    [{ ...media, alt: 'a'.repeat(2001) }],
    'The alt text of media can have at most 2000 characters',
  ],
  [
    'a long author',
    [{ ...media, source: { name: 'a', author: 'a'.repeat(2049) } }],
    'Each entry of a source can have at most 2048 characters',
  ],
  [
    'more than 64 kB in UTF-8',
    Array.from({ length: 20 }, () => ({ ...media, alt: '€'.repeat(1500) })),
    'The idea is larger than 64 kB',
  ],
])('%s is invalid input and changes nothing', async (_what, given, message) => {
  const before = await list({});
  const create = `mutation($input: CreateIdeaInput!) { createIdea(input: $input) {
    __typename ... on MutationError { message } } }`;
  const input = { organizationId: BAKERY, content: { title: 'a', media: given } };
  const { createIdea } = (await ask(create, { input })).body.data;
  expect(createIdea).toEqual({ __typename: 'InvalidInputError', message });
  expect(await list({})).toEqual(before);
});
