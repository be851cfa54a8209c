import {
  type PersonFacts,
  personReason,
  stoppedReason,
} from '../../../src/domain/tokens/standing/for-person.ts';
import type { TokenStanding } from '../../../src/domain/tokens/standing/standing.ts';
import { standingWords } from '../../../src/domain/tokens/standing/words.ts';

/** What the holder of a token and the owner of its app read of it, standing by standing. */

type Case = TokenStanding extends infer One
  ? One extends unknown
    ? Omit<One, 'canConnect' | 'endsAt'>
    : never
  : never;

const standing = (one: Case) => ({ ...one, canConnect: false, endsAt: undefined }) as TokenStanding;

const STRANGER: PersonFacts = {
  isOwn: false,
  source: 'imported',
  account_id: null,
  isExpected: false,
  hasOldApi: false,
};
const OWN: PersonFacts = { ...STRANGER, isOwn: true, account_id: 'a1' };

const WAITING: ReadonlyArray<readonly [PersonFacts, string]> = [
  [{ ...OWN, source: 'registration' }, 'It was made for you with the app. Connect the app once.'],
  [OWN, 'You have not connected the app to the new API yet.'],
  [{ ...STRANGER, account_id: 'a1' }, 'Its holder has not connected the app to the new API yet.'],
  [
    { ...STRANGER, account_id: 'a1', source: 'registration' },
    'Its holder has not connected the app to the new API yet.',
  ],
  [
    { ...STRANGER, isExpected: true, hasOldApi: true },
    'Its holder is known by a mail address alone and has not signed in here yet.',
  ],
  [
    { ...STRANGER, hasOldApi: true },
    'Nobody has shown yet whose it is. Its holder can paste it under “Your apps”.',
  ],
  [
    STRANGER,
    'Nobody has shown yet whose it is. Support can find out: write to it, without the token itself.',
  ],
];

test.each(WAITING)('of a token that waits, with %j: %s', (facts, words) => {
  expect(personReason(standing({ is: 'passed' }), facts)).toBe(words);
  expect(personReason(standing({ is: 'refused', why: 'unanswered' }), facts)).toBe(words);
  const outage = standing({ is: 'interrupted', isConnected: false, until: 1 });
  expect(personReason(outage, facts)).toBe(`${words} ${standingWords(outage).meaning}`);
});

test('in an outage nobody has to do anything for a connected token', () => {
  const outage = standing({ is: 'interrupted', isConnected: true, until: 1 });
  expect(personReason(outage, OWN)).toBe(standingWords(outage).meaning);
});

const served = (connection: Extract<TokenStanding, { is: 'served' }>['connection']) =>
  personReason(standing({ is: 'served', connection, side: 'new' }), OWN);

test('of a connected token it is told where calls are not answered, or will not be for long', () => {
  const usual = 'Connected. Its calls are answered.';
  expect((['ready', 'renewing'] as const).map(served)).toEqual([usual, usual]);
  for (const one of ['suspect', 'in doubt, expired', 'stranded, expired', 'resting, expired'] as const)
    expect(served(one)).toMatch(/get the last known answer or are refused meanwhile/);
  expect(served('stranded')).toBe(
    'Its connection cannot be renewed, because a setting of this service was changed. It works on for now. Write to support, without the token itself.',
  );
  expect(served('in doubt')).toBe(
    'Whether the connection can be renewed is not certain. It works on meanwhile; this is tried again.',
  );
  expect(served('missing')).toBe(
    'Its connection cannot be found. Write to support, without the token itself.',
  );
});

const LOST = 'The reply of the new API was lost while the connection was renewed, so the connection ended.';
const ENDED_TOO = 'The old API has ended too.';

test.each<[reason: string | null, isOwn: boolean, why: string]>([
  ['grant_lost', true, LOST],
  ['grant_lost', false, LOST],
  ['Ms X left', true, 'The reason given is: Ms X left'],
  ['Ms X left', false, 'The connection has ended.'],
  [null, true, 'The connection has ended.'],
])('of a token that stopped for %j (own: %p): %s', (reason, isOwn, why) => {
  const facts = { ...STRANGER, isOwn };
  const step = isOwn ? 'Connect again.' : 'Its holder has to connect again.';
  expect(personReason(standing({ is: 'stopped', reason }), facts)).toBe(`${why} ${step}`);
  expect(personReason(standing({ is: 'ended', was: 'stopped', reason }), facts)).toBe(`${why} ${ENDED_TOO}`);
  expect(stoppedReason({ reason, hasEnded: true }, isOwn)).toBe(`${why} ${ENDED_TOO}`);
  expect(stoppedReason({ reason, hasEnded: false }, isOwn)).toBe(`${why} ${step}`);
});

test('of a token that ended for good the reason is told to whom it may be told', () => {
  const told = (reason: string | null, isOwn: boolean) =>
    personReason(standing({ is: 'revoked', reason }), { ...STRANGER, isOwn });
  const { meaning } = standingWords(standing({ is: 'revoked', reason: null }));
  expect(told('code_replayed', false)).toBe(
    'The code that it was made from was used twice, so it was ended for safety.',
  );
  expect([told('Ms X left', true), told('Ms X left', false), told(null, true)]).toEqual([
    'The reason given is: Ms X left',
    meaning,
    meaning,
  ]);
});

test.each<Case>([
  { is: 'ended', was: 'connected' },
  { is: 'ended', was: 'unconnected' },
  { is: 'moved', handover: undefined },
  { is: 'orphaned' },
])('of %j its meaning is all', (one) => {
  expect(personReason(standing(one), OWN)).toBe(standingWords(standing(one)).meaning);
});
