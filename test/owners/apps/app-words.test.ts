import type { MigrationProgress } from '../../../src/domain/handover/migration-checklist.ts';
import { checklist } from '../../../src/http/owners/move/checklist.ts';

/** What the pages of one app say of its move, without a server. */

const PLACE = { home: '/apps/x', phase: 'before' as const, hasOldApi: true };
const ENDED = { ...PLACE, phase: 'ended' as const, hasOldApi: false };

const CLIENT = { id: 'planner', isConfidential: true, scopes: [], provenAt: 1 };
const CALL = {
  endpoint: '/1/profiles.json',
  carrier: 'header',
  user_agent: 'cron/1',
  calls: 5,
  answered: 5,
  refused: 0,
  last_at: 1,
  taken_at: 1,
};

const START: MigrationProgress = {
  client: undefined,
  states: { unmapped: 3 },
  tokens: { mapped: 0, waiting: 3, active: 0, migrated: 0 },
  grants: { all: 0, own: 0 },
  calls: {
    counted: { days: 7, isPartial: false },
    total: 1234,
    kinds: [CALL],
    isCut: false,
    last: undefined,
  },
  handovers: { handed: 0, confirmed: 0, awaited: 0, lost: 0 },
};

const statesOf = (moved: MigrationProgress) => checklist(moved, PLACE).map(({ state }) => state);

const WAYS: Array<[says: string, moved: Partial<MigrationProgress>, states: string[]]> = [
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
  ['no old call comes', { calls: { ...START.calls, total: 0, kinds: [] } }, ['open', 'open', 'open', 'done']],
  [
    'some connections are handed over',
    {
      tokens: { mapped: 3, waiting: 0, active: 1, migrated: 2 },
      handovers: { handed: 2, confirmed: 2, awaited: 0, lost: 0 },
    },
    ['open', 'done', 'partly', 'open'],
  ],
  [
    'all are, but one is not confirmed',
    {
      tokens: { mapped: 3, waiting: 0, active: 0, migrated: 3 },
      handovers: { handed: 2, confirmed: 1, awaited: 1, lost: 0 },
    },
    ['open', 'done', 'partly', 'open'],
  ],
  [
    'all are and are confirmed',
    {
      tokens: { mapped: 3, waiting: 0, active: 0, migrated: 3 },
      handovers: { handed: 2, confirmed: 2, awaited: 0, lost: 0 },
    },
    ['open', 'done', 'done', 'open'],
  ],
  [
    'all are, but one was never confirmed',
    {
      tokens: { mapped: 3, waiting: 0, active: 0, migrated: 3 },
      handovers: { handed: 2, confirmed: 1, awaited: 0, lost: 1 },
    },
    ['open', 'done', 'partly', 'open'],
  ],
  [
    'one that nobody uses has handed nothing over',
    { tokens: { mapped: 0, waiting: 0, active: 0, migrated: 0 } },
    ['open', 'done', 'open', 'open'],
  ],
  [
    'one that nobody uses, with its client, has nothing to hand over',
    { client: CLIENT, tokens: { mapped: 0, waiting: 0, active: 0, migrated: 0 } },
    ['done', 'done', 'done', 'open'],
  ],
];

test.each(WAYS)('the checklist: %s', (_says, moved, states) => {
  expect(statesOf({ ...START, ...moved })).toEqual(states);
});

test('each step has its numbers, and one that is not done what comes next', () => {
  const steps = checklist(START, PLACE);
  expect(steps.map(({ evidence }) => evidence)).toEqual([
    expect.stringMatching(/^No client is entered/),
    '0 of 3 tokens are connected or moved. 3 wait for their holders.',
    'No connection is here to hand over.',
    '1,234 calls came to the old API in the last 7 days.',
  ]);
  expect(steps[3]?.details).toEqual(['/1/profiles.json by cron/1: 5 calls']);
  expect(steps.map(({ next }) => next?.href)).toEqual([
    '/apps/x/modern-client',
    '/apps/x/tokens',
    '/apps/x/modern-client',
    '/apps/x/calls?days=7',
  ]);
});

test('after the sunset nobody is sent to connect any more', () => {
  const users = checklist(START, ENDED)[1];
  expect(users).toMatchObject({
    evidence: '0 of 3 tokens are connected or moved. 3 are not connected; the old API has ended.',
    next: undefined,
  });
  const moved = {
    ...START,
    client: CLIENT,
    tokens: { mapped: 2, waiting: 0, active: 2, migrated: 0 },
  };
  const last = (own: number) => checklist({ ...moved, grants: { all: 2, own } }, ENDED).at(2);
  expect(last(0)).toMatchObject({
    evidence: expect.stringMatching(/^2 tokens are still connected\. /),
    next: undefined,
  });
  for (const own of [1, 2])
    expect(last(own)?.next?.text).toMatch(/^The app exchanges one old token of each account/);
});

test('after the sunset nobody is sent to take over or to enter what is not there', () => {
  const tokens = { mapped: 0, waiting: 3, active: 0, migrated: 0 };
  expect(checklist({ ...START, client: CLIENT, tokens }, ENDED).at(2)?.next).toBeUndefined();
  const former = [{ id: 'planner-before', connections: 2 }];
  const connected = { mapped: 2, waiting: 0, active: 2, migrated: 0 };
  const there = 'The old API has ended: people connect at the new API with the app’s own client there.';
  const [first, , last] = checklist({ ...START, tokens: connected, grants: { all: 2, own: 0 } }, ENDED);
  expect([first?.evidence, first?.next, last?.next]).toEqual([there, undefined, undefined]);
  const taken = checklist({ ...START, tokens: connected, grants: { all: 2, own: 0, former } }, ENDED);
  expect(taken[0]).toMatchObject({
    evidence: `${there} 2 connections can still be handed over to planner-before, which was used before.`,
    next: undefined,
  });
  expect(taken[2]?.next?.text).toMatch(/^The app exchanges one old token of each account/);
});

test('connections of before the own client are told to connect once more', () => {
  const moved: MigrationProgress = {
    ...START,
    client: CLIENT,
    tokens: { mapped: 4, waiting: 0, active: 4, migrated: 0 },
    grants: { all: 3, own: 1 },
  };
  const [, , last] = checklist(moved, PLACE);
  expect(last?.evidence).toContain(
    '4 tokens are still answered by this service. 1 of 3 connections can be handed over',
  );
  expect(last?.next?.text).toMatch(/connect once more/);
  const [, , none] = checklist({ ...moved, grants: { all: 1, own: 0 } }, PLACE);
  expect(none?.evidence).toContain('The one connection was not made with the app’s own client');
  const part = { all: 2000, own: 5, isPart: true };
  expect(checklist({ ...moved, grants: part }, PLACE).at(2)?.evidence).toContain(
    '5 of the first 2,000 connections can be handed over',
  );
  const handovers = { handed: 2000, confirmed: 7, awaited: 2000, lost: 0, isPart: true };
  expect(checklist({ ...moved, handovers }, PLACE).at(2)?.evidence).toMatch(
    /^Of the first 2,000 connections handed over 7 are confirmed by the app\./,
  );
});

test('connections that a client of before may take over are told, also where no client is entered', () => {
  const former = [{ id: 'planner-before', connections: 1 }];
  const tokens = { mapped: 4, waiting: 0, active: 4, migrated: 0 };
  const moved: MigrationProgress = { ...START, tokens, grants: { all: 3, own: 0, former } };
  const [first, , last] = checklist(moved, PLACE);
  expect(first?.evidence).toBe(
    'No client is entered for new connections. 1 connection can still be handed over to planner-before, which was used before.',
  );
  expect(last?.evidence).toContain(
    '1 of 3 connections can be handed over now: 1 to planner-before (used before).',
  );
  expect(last?.next?.text).toMatch(/^The app exchanges one old token of each account/);
  const both = checklist({ ...moved, client: CLIENT, grants: { all: 3, own: 2, former } }, PLACE).at(2);
  expect(both?.evidence).toContain(
    '3 of 3 connections can be handed over now: 2 to the app’s own client, 1 to planner-before (used before).',
  );
  const retired = checklist({ ...moved, client: CLIENT, grants: { all: 3, own: 2, isRefused: true } }, PLACE);
  expect(retired.at(2)?.evidence).toContain(
    '2 of 3 connections were made with the app’s own client: its secret was retired',
  );
  expect(retired.at(2)?.next?.text).toBe('Enter the client with a new secret.');
});

test('what was not confirmed in time has its own words, and the app is asked to confirm even now', () => {
  const moved = { ...START, client: CLIENT, tokens: { mapped: 3, waiting: 0, active: 0, migrated: 3 } };
  const last = (awaited: number, lost: number) =>
    checklist({ ...moved, handovers: { handed: 3, confirmed: 1, awaited, lost } }, PLACE).at(2);
  expect(last(2, 0)?.evidence).toBe('3 connections handed over, 1 confirmed by the app.');
  expect(last(1, 1)?.evidence).toMatch(
    /1 was not confirmed within seven days, .* its new tokens were erased here\. If the app has lost them, its holder has to connect again\.$/,
  );
  expect(last(1, 1)?.next?.text).toMatch(/^Confirm each one within seven days/);
  expect(last(0, 2)?.evidence).toMatch(/2 were not confirmed within seven days, /);
  expect(last(0, 2)?.next?.text).toMatch(
    /^If the app has stored the new tokens, let it confirm even now, .* After the sunset .* at the new API itself/,
  );
  expect(last(1, 1)?.todo).toBe('Confirm what the app has taken over');
  expect(last(0, 2)?.todo).toBe('Confirm what the app has stored');
});

test('an app that uses no client any more is asked to confirm, and not for a client', () => {
  const tokens = { mapped: 3, waiting: 0, active: 0, migrated: 3 };
  const handovers = { handed: 3, confirmed: 1, awaited: 2, lost: 0 };
  const step = checklist({ ...START, client: undefined, tokens, handovers }, PLACE).at(2);
  expect(step?.next?.text).toMatch(/^Confirm each one within seven days/);
});

test('what is not confirmed yet is told with its times, and comes before connections that are still here', () => {
  const handovers = { handed: 3, confirmed: 1, awaited: 2, awaitedSince: 1000, awaitedUntil: 2000, lost: 0 };
  const tokens = { mapped: 4, waiting: 0, active: 1, migrated: 3 };
  const moved = { ...START, client: CLIENT, tokens, grants: { all: 1, own: 1 }, handovers };
  const step = checklist(moved, PLACE).at(2);
  expect(step?.evidence).toEqual([
    '3 connections handed over, 1 confirmed by the app.',
    ' ',
    '2 hand-overs are not confirmed yet: the first was handed over ',
    1000,
    '. This service keeps a copy of its new tokens until ',
    2000,
    '.',
    ' ',
    '1 token is still answered by this service.',
    ' ',
    '1 of 1 connection can be handed over now: 1 to the app’s own client.',
  ]);
  expect(step?.next?.label).toBe('How to confirm');
});

test('an app of which all tokens have moved is not said to have them connected', () => {
  const moved = { ...START, tokens: { mapped: 7, waiting: 0, active: 0, migrated: 7 } };
  expect(checklist(moved, PLACE)[1]?.evidence).toBe('7 tokens are connected or moved, none waits.');
});
