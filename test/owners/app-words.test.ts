import type { MovedSoFar } from '../../src/domain/migration-checklist.ts';
import { checklist } from '../../src/http/owners/checklist.ts';
import { holderWords, hintWords, type TokenFacts, tokenWords } from '../../src/http/owners/token-words.ts';

/** What the pages of one app say of its tokens and of its move, without a server. */

const FACTS: TokenFacts = {
  state: 'active',
  reason: null,
  source: 'imported',
  grant_state: 'ready',
  account_id: 'a1',
  isExpected: false,
  isOwn: false,
  phase: 'before',
  hasOldApi: true,
};

const ROWS: Array<[says: string, facts: Partial<TokenFacts>, label: string, kind: string, reason: RegExp]> = [
  ['a connected one works', {}, 'working', 'ok', /^Connected\./],
  [
    'one in doubt works, with a warning',
    { grant_state: 'in_doubt' },
    'working',
    'warning',
    /did not answer a renewal/,
  ],
  ['after the sunset it is connected in vain', { phase: 'ended' }, 'connected', '', /old API has ended/],
  ['a waiting one is for its holder', { state: 'unmapped' }, 'waiting', 'warning', /^Its holder has not/],
  ['to its holder it says so', { state: 'unmapped', isOwn: true }, 'waiting', 'warning', /^You have not/],
  [
    'one of a registration says where it comes from',
    { state: 'unmapped', isOwn: true, source: 'registration' },
    'waiting',
    'warning',
    /made for you/,
  ],
  [
    'one with an address alone waits for its proof',
    { state: 'unmapped', account_id: null, isExpected: true },
    'waiting',
    'warning',
    /known by a mail address alone/,
  ],
  [
    'one of nobody can be pasted',
    { state: 'unmapped', account_id: null },
    'waiting',
    'warning',
    /Nobody has shown yet.*paste it/,
  ],
  [
    'where the old API cannot be asked, it cannot',
    { state: 'unmapped', account_id: null, hasOldApi: false },
    'waiting',
    'warning',
    /Nobody has shown yet whose it is\. Support can find out/,
  ],
  [
    'after the retirement it is refused',
    { state: 'unmapped', phase: 'retired' },
    'refused',
    'warning',
    /^Its holder/,
  ],
  [
    'after the sunset nothing helps it',
    { state: 'unmapped', phase: 'ended' },
    'refused',
    '',
    /never connected/,
  ],
  [
    'one that was refused says where it was ended',
    { state: 'reauthorization_required', reason: 'grant_refused' },
    'stopped',
    'warning',
    /revoked in the account settings.* Its holder has to connect again\.$/,
  ],
  [
    'one whose answer was lost says so',
    { state: 'reauthorization_required', reason: 'grant_lost', isOwn: true },
    'stopped',
    'warning',
    /lost on the way.* Connect again\.$/,
  ],
  [
    'one of a copy says so',
    { state: 'reauthorization_required', reason: 'grant_superseded' },
    'stopped',
    'warning',
    /backup/,
  ],
  [
    'after the sunset there is nothing to mend',
    { state: 'reauthorization_required', reason: 'grant_lost', phase: 'ended' },
    'stopped',
    '',
    /So has the old API\.$/,
  ],
  [
    'the words of support are for the holder',
    { state: 'revoked', reason: 'Dana called us', isOwn: true },
    'revoked',
    '',
    /Dana called us/,
  ],
  [
    'and for nobody else',
    { state: 'revoked', reason: 'Dana called us' },
    'revoked',
    '',
    /^It was ended for good\.$/,
  ],
  [
    'nor are they when it stopped',
    { state: 'reauthorization_required', reason: 'Dana called us' },
    'stopped',
    'warning',
    /^The connection has ended\./,
  ],
  [
    'a name of the language is no reason',
    { state: 'revoked', reason: 'constructor' },
    'revoked',
    '',
    /^It was ended for good\.$/,
  ],
  [
    'a deauthorized one names who ends access',
    { state: 'revoked', reason: 'deauthorized' },
    'revoked',
    '',
    /^The account holder or the app/,
  ],
  [
    'one of a replayed code says so',
    { state: 'revoked', reason: 'code_replayed' },
    'revoked',
    '',
    /used twice/,
  ],
  ['a moved one needs nothing', { state: 'migrated', reason: 'handed_over' }, 'moved', '', /new API/],
];

test.each(ROWS)('a token: %s', (_says, facts, label, kind, reason) => {
  expect(tokenWords({ ...FACTS, ...facts })).toEqual({ label, kind, reason: expect.stringMatching(reason) });
});

const holder = (id: string | null, name: string | null) =>
  holderWords({ account_id: id, account_name: name }, 'me');

test('a holder is told by name, never by a mail address', () => {
  expect([holder('me', 'Dana'), holder('x', ' Sam '), holder(null, null)]).toEqual([
    'you',
    'Sam',
    'not known yet',
  ]);
  for (const name of [null, '', 'sam@example.org'])
    expect(holder('x', name)).toBe('an account without a name');
});

test('a token is shown by its ends, or not at all', () => {
  expect(hintWords({ hint_first: 'abcd', hint_last: 'wxyz' })).toBe('1/abcd…wxyz');
  expect(hintWords({ hint_first: null, hint_last: null })).toBeUndefined();
});

const CLIENT = { id: 'planner', isConfidential: true, scopes: [], provenAt: 1 };
const CALL = { endpoint: '/1/profiles.json', carrier: 'header', user_agent: 'cron/1', calls: 5, last_at: 1 };

const START: MovedSoFar = {
  client: undefined,
  states: { unmapped: 3 },
  tokens: { mapped: 0, waiting: 3, active: 0, migrated: 0 },
  grants: { all: 0, own: 0 },
  calls: { days: 7, total: 1234, kinds: [CALL], last: undefined },
  handovers: { handed: 0, confirmed: 0, awaited: 0, lost: 0 },
};

const statesOf = (moved: MovedSoFar) => checklist(moved, '/apps/x').map(({ state }) => state);

const WAYS: Array<[says: string, moved: Partial<MovedSoFar>, states: string[]]> = [
  ['nothing is done at the start', {}, ['open', 'open', 'open', 'open']],
  ['a client is entered', { client: CLIENT }, ['done', 'open', 'open', 'open']],
  [
    'some tokens are connected',
    { tokens: { mapped: 2, waiting: 1, active: 2, migrated: 0 } },
    ['open', 'partly', 'open', 'open'],
  ],
  [
    'all are',
    { tokens: { mapped: 3, waiting: 0, active: 3, migrated: 0 } },
    ['open', 'done', 'open', 'open'],
  ],
  ['no old call comes', { calls: { ...START.calls, total: 0, kinds: [] } }, ['open', 'open', 'done', 'open']],
  [
    'some connections are handed over',
    {
      tokens: { mapped: 3, waiting: 0, active: 1, migrated: 2 },
      handovers: { handed: 2, confirmed: 2, awaited: 0, lost: 0 },
    },
    ['open', 'done', 'open', 'partly'],
  ],
  [
    'all are, but one is not confirmed',
    {
      tokens: { mapped: 3, waiting: 0, active: 0, migrated: 3 },
      handovers: { handed: 2, confirmed: 1, awaited: 1, lost: 0 },
    },
    ['open', 'done', 'open', 'partly'],
  ],
  [
    'all are and are confirmed',
    {
      tokens: { mapped: 3, waiting: 0, active: 0, migrated: 3 },
      handovers: { handed: 2, confirmed: 2, awaited: 0, lost: 0 },
    },
    ['open', 'done', 'open', 'done'],
  ],
  [
    'all are, but one was never confirmed',
    {
      tokens: { mapped: 3, waiting: 0, active: 0, migrated: 3 },
      handovers: { handed: 2, confirmed: 1, awaited: 0, lost: 1 },
    },
    ['open', 'done', 'open', 'partly'],
  ],
  [
    'one that nobody uses has handed nothing over',
    { tokens: { mapped: 0, waiting: 0, active: 0, migrated: 0 } },
    ['open', 'done', 'open', 'open'],
  ],
  [
    'one that nobody uses, with its client, has nothing to hand over',
    { client: CLIENT, tokens: { mapped: 0, waiting: 0, active: 0, migrated: 0 } },
    ['done', 'done', 'open', 'done'],
  ],
];

test.each(WAYS)('the checklist: %s', (_says, moved, states) => {
  expect(statesOf({ ...START, ...moved })).toEqual(states);
});

test('each step has its numbers, and one that is not done what comes next', () => {
  const steps = checklist(START, '/apps/x');
  expect(steps.map(({ evidence }) => evidence)).toEqual([
    expect.stringMatching(/^None is entered/),
    '0 of 3 tokens are connected or moved. 3 wait for their holders.',
    '1,234 calls came to the old API in the last 7 days.',
    'No connection is here to hand over.',
  ]);
  expect(steps[2]?.details).toEqual(['/1/profiles.json by cron/1: 5 calls']);
  expect(steps.map(({ next }) => next?.href)).toEqual([
    '/apps/x/modern-client',
    '/apps/x/tokens',
    '/apps/x/calls?days=7',
    '/apps/x/modern-client',
  ]);
});

test('connections of before the own client are told to connect once more', () => {
  const moved: MovedSoFar = {
    ...START,
    client: CLIENT,
    tokens: { mapped: 4, waiting: 0, active: 4, migrated: 0 },
    grants: { all: 3, own: 1 },
  };
  const [, , , last] = checklist(moved, '/apps/x');
  expect(last?.evidence).toContain('4 tokens are still served here. 1 of 3 connections can be handed over');
  expect(last?.next?.text).toMatch(/connect once more/);
  const [, , , none] = checklist({ ...moved, grants: { all: 1, own: 0 } }, '/apps/x');
  expect(none?.evidence).toContain('None of 1 connection was made with the app’s own client');
  const part = { all: 2000, own: 5, isPart: true };
  expect(checklist({ ...moved, grants: part }, '/apps/x').at(-1)?.evidence).toContain(
    '5 of the first 2,000 connections can be handed over',
  );
  const handovers = { handed: 2000, confirmed: 7, awaited: 2000, lost: 0, isPart: true };
  expect(checklist({ ...moved, handovers }, '/apps/x').at(-1)?.evidence).toMatch(
    /^Of the first 2,000 connections handed over 7 are confirmed by the app\./,
  );
});

test('what was not confirmed in time has its own words, once nothing can be confirmed any more', () => {
  const moved = { ...START, client: CLIENT, tokens: { mapped: 3, waiting: 0, active: 0, migrated: 3 } };
  const last = (awaited: number, lost: number) =>
    checklist({ ...moved, handovers: { handed: 3, confirmed: 1, awaited, lost } }, '/apps/x').at(-1);
  expect(last(2, 0)?.evidence).toBe('3 connections handed over, 1 confirmed by the app.');
  expect(last(1, 1)?.evidence).toMatch(/1 was not confirmed within seven days, .* of it here is erased\.$/);
  expect(last(1, 1)?.next?.text).toMatch(/^Confirm each one within seven days/);
  expect(last(0, 2)?.evidence).toMatch(/2 were not confirmed within seven days, /);
  expect(last(0, 2)?.next?.text).toMatch(/cannot be confirmed any more\. If the app has stored its pairs/);
});

test('an app of which all tokens have moved is not said to have them connected', () => {
  const moved = { ...START, tokens: { mapped: 7, waiting: 0, active: 0, migrated: 7 } };
  expect(checklist(moved, '/apps/x')[1]?.evidence).toBe('7 tokens are connected or moved, none waits.');
});
