import {
  GraphQLError,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import type { GraphqlStep } from '../../src/domain/new-calls/call-pair.ts';
import { ANCHORS, CALL_PAIRS } from '../../src/domain/new-calls/call-pairs.ts';
import { LISTS } from '../../src/domain/posts/lists/lists.ts';
import { isKnownPath, OLD_CALL_NAMES, OLD_CALLS, oldCallOf } from '../../src/domain/old-calls/old-calls.ts';
import { loadSchema } from '../../src/modern/main-api/schema.ts';

/** The table of the old calls and what takes their place, held against the schema of the embedded new API. */

const schema = loadSchema();

const requests = OLD_CALL_NAMES.flatMap((name) =>
  CALL_PAIRS[name].steps.flatMap((step) => (step.kind === 'graphql' ? [{ name, step }] : [])),
);

/** Any id is one as far as the schema goes. */
const samples = ({ variables }: GraphqlStep) =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : 'f'.repeat(24),
    ]),
  );

function problemsOf(step: GraphqlStep): ReadonlyArray<GraphQLError | string> {
  const document = parse(step.query);
  const [operation] = document.definitions as OperationDefinitionNode[];
  const declared = operation?.kind === Kind.OPERATION_DEFINITION ? (operation.variableDefinitions ?? []) : [];
  const names = declared.map(({ variable }) => variable.name.value).toSorted();
  const given = Object.keys(step.variables).toSorted();
  const different =
    String(names) === String(given) ? [] : [`declares ${String(names)}, gives ${String(given)}`];
  const { errors = [] } = getVariableValues(schema, declared, samples(step));
  return [...validate(schema, document), ...errors, ...different];
}

test.each(requests)('the request for $name is one of the schema', ({ step }) => {
  expect(problemsOf(step)).toEqual([]);
});

test('all nineteen calls are there; four have nothing that takes their place', () => {
  expect(Object.keys(CALL_PAIRS)).toEqual(OLD_CALL_NAMES);
  expect(OLD_CALL_NAMES).toHaveLength(19);
  const gone = OLD_CALL_NAMES.filter((name) => CALL_PAIRS[name].steps.length === 0);
  expect(gone).toEqual(['updateSchedules', 'interactions', 'shares', 'configuration']);
});

const sinceOf = (name: 'pendingUpdates' | 'sentUpdates') =>
  CALL_PAIRS[name].renamed.find(([old]) => old === 'since')?.[1];

test('the two lists are those of the old calls, and nobody is told to lose posts by their time', () => {
  const channel = { id: 'c', organizationId: 'o' };
  for (const [name, list] of [
    ['pendingUpdates', LISTS.pending(channel, 0)],
    ['sentUpdates', LISTS.sent(channel, 0)],
  ] as const) {
    const [step] = CALL_PAIRS[name].steps;
    expect(step?.kind === 'graphql' && step.query).toContain(
      `status: [${list.question.statuses.join(', ')}]`,
    );
  }
  expect(sinceOf('pendingUpdates')).toContain('createdAt.start');
  expect(sinceOf('sentUpdates')).not.toContain('createdAt');
});

test('who moves an update to the top is told that it loses a time of its own', () => {
  expect(CALL_PAIRS.moveUpdateToTop.words).toMatch(/The old call refuses .* gives it up/);
  const [queue] = CALL_PAIRS.shuffleUpdates.steps;
  expect(queue?.kind === 'graphql' && queue.query).toContain('isCustomScheduled');
  for (const name of ['reorderUpdates', 'shuffleUpdates'] as const)
    expect(CALL_PAIRS[name].words).toContain('Leave out posts with a time of their own');
});

test('what the new API demands of a post is told by service, and what has no setting is not called one', () => {
  for (const name of ['boardServiceId', 'title', 'categoryId'])
    expect(CALL_PAIRS.createUpdate.words).toContain(`\`${name}\``);
  const renamed = new Map(CALL_PAIRS.createUpdate.renamed);
  expect(renamed.get('attachment')).toContain('`linkAttachment`');
  expect(renamed.get('shorten')).toContain('link shortening');
});

test('what the old call is answered with is said of everybody whom the new API answers', () => {
  for (const name of ['updateSchedules', 'interactions', 'shares'] as const)
    expect(CALL_PAIRS[name].words).toMatch(
      /Where the new API answers \(.*given out here, accounts that were switched to it, tokens that the old API refuses.*\), the old call is/,
    );
});

test('each is called with a method that its address takes', () => {
  for (const name of OLD_CALL_NAMES)
    expect(OLD_CALLS[name].methods).toContain(CALL_PAIRS[name].old.isPost ? 'POST' : 'GET');
});

test('no field that is named as new is missing in the schema', () => {
  const known = new Set(
    Object.values(schema.getTypeMap()).flatMap((type) => [
      ...('getFields' in type ? Object.keys(type.getFields()) : []),
      ...('getValues' in type ? type.getValues().map(({ name }) => name) : []),
    ]),
  );
  const named = Object.values(CALL_PAIRS).flatMap(({ renamed }) =>
    renamed.flatMap(([, to]) => to.split('`').filter((_, place) => place % 2 === 1)),
  );
  const words = new Set(named.flatMap((code) => code.match(/[a-zA-Z]+/g) ?? []));
  const outside = ['true', 'after', 'first', 'filter'];
  expect([...words].filter((word) => !known.has(word) && !outside.includes(word))).toEqual([]);
});

test('the anchors are those that stand on the wire', () => {
  expect(Object.values(ANCHORS)).toEqual([
    'user',
    'profiles',
    'profiles-id',
    'user-deauthorize',
    'profiles-id-schedules',
    'profiles-id-schedules-update',
    'profiles-id-updates-pending',
    'profiles-id-updates-sent',
    'profiles-id-updates-reorder',
    'profiles-id-updates-shuffle',
    'updates-create',
    'updates-id',
    'updates-id-interactions',
    'updates-id-update',
    'updates-id-share',
    'updates-id-destroy',
    'updates-id-move_to_top',
    'links-shares',
    'info-configuration',
  ]);
});

test.each([
  ['/1/user.json', 'user'],
  ['/1/user', 'user'],
  ['/1/user.xml', 'user'],
  ['/user/deauthorize', 'deauthorize'],
  ['/1/user/deauthorize.json', 'deauthorize'],
  ['/1/profiles/4f.json', 'profile'],
  ['/1/profiles/:id.json', 'profile'],
  ['/1/updates/create.json', 'createUpdate'],
  ['/1/updates/4f.json', 'update'],
  ['/1/updates/4f/share.json', 'shareUpdate'],
  ['/1/updates/create/share.json', 'shareUpdate'],
  ['/1/profiles/a.b/updates/pending.json', 'pendingUpdates'],
  ['/1/profiles/.json', 'profile'],
  ['/1/profiles/', undefined],
  ['/1/profiles/4f/', undefined],
  ['/1/User.json', undefined],
  ['/1/user.json/x', undefined],
  ['/1/oauth2/token.json', undefined],
  ['/1', undefined],
  ['/', undefined],
  ['', undefined],
])('the call of %s is %s', (path, name) => {
  expect(oldCallOf(path)).toBe(name);
  expect(isKnownPath(path)).toBe(name !== undefined);
});
