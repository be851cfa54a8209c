import { ENDS, whyGrantEnded, whyTokenEnded } from '../../../src/domain/tokens/standing/ends.ts';
import { callerReason, REFUSED_CALLS } from '../../../src/domain/tokens/standing/for-caller.ts';
import { isFromBefore, isKnownThere } from '../../../src/domain/tokens/standing/from-before.ts';
import type { TokenStanding } from '../../../src/domain/tokens/standing/standing.ts';
import { STANDING_WORDS, standingSentence } from '../../../src/domain/tokens/standing/words.ts';

/** The words that all readers share are there, each its own, and are found by what a row keeps. */

const standing = (one: object) => ({ ...one, canConnect: false, endsAt: undefined }) as TokenStanding;

const CLAUSE = /^[a-z].*[a-z]$/;
const SENTENCE = /^[A-Z].*\.$/;

test('a standing has a label, a clause and a sentence', () => {
  for (const { label, headline, meaning } of Object.values(STANDING_WORDS)) {
    expect(label).toMatch(CLAUSE);
    expect(headline).toMatch(/^(?:is|was|has|works)(?: |$)/);
    expect(meaning).toMatch(SENTENCE);
  }
  expect(standingSentence(standing({ is: 'moved' }))).toBe('It has moved to the new API with its app.');
});

const causes = Object.entries(ENDS);

test('a cause of an end has a label and a clause of its own, found by the cause and by the reason of the token', () => {
  for (const [cause, { label, why }] of causes) {
    expect(label).toMatch(/^[A-Z].*[a-zI]$/);
    expect(why).toMatch(CLAUSE);
    expect([whyGrantEnded(cause), whyTokenEnded(`grant_${cause}`)]).toEqual([why, why]);
  }
  expect(new Set(causes.map(([, { why }]) => why)).size).toBe(causes.length);
  expect(new Set(causes.map(([, { label }]) => label)).size).toBe(causes.length);
});

test.each<[string | null, string | undefined]>([
  ['deauthorized', ENDS.deauthorized.why],
  ['handed_over', ENDS.handed_over.why],
  ['a call with the token asked for it', 'a call with the token itself asked for it'],
  ['code_replayed', 'the code that it was made from was used twice, so it was ended for safety'],
  ['lost', undefined],
  ['what support wrote', undefined],
  [null, undefined],
])('the reason %j of a token is told as %j', (reason, why) => {
  expect(whyTokenEnded(reason)).toBe(why);
});

test('no cause is no reason', () => {
  expect([whyGrantEnded(null), whyGrantEnded(undefined), whyGrantEnded('of later')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

const NOT_CONNECTED = 'This token has not been connected to the new API yet.';
const ENDED = 'The connection behind this token has ended. Its owner has to authorize the app again.';
const retired = (on: string) =>
  `The old API was retired${on}, and this token had not been connected to the new API by then. Its owner has to authorize the app again.`;

test.each<[object, string]>([
  [{ is: 'served', connection: 'ready', side: 'new' }, ENDED],
  [{ is: 'stopped', reason: 'grant_lost' }, ENDED],
  [{ is: 'passed' }, NOT_CONNECTED],
  [{ is: 'interrupted', isConnected: false, until: 1 }, NOT_CONNECTED],
  [{ is: 'refused', why: 'registration' }, NOT_CONNECTED],
  [{ is: 'refused', why: 'unanswered' }, NOT_CONNECTED],
  [{ is: 'refused', why: 'retired', since: Date.UTC(2027, 1, 1, 23) }, retired(' on 2027-02-01 (UTC)')],
  [{ is: 'refused', why: 'retired', since: undefined }, retired('')],
  [{ is: 'revoked', reason: 'Ms X' }, 'This token was revoked.'],
  [{ is: 'moved' }, 'The app has moved to the new API and this token was retired.'],
  [{ is: 'ended', was: 'connected' }, 'The old API has ended.'],
  [{ is: 'orphaned' }, 'The app of this token was retired.'],
])('the caller with a token that is %j is told: %s', (one, reason) => {
  expect(callerReason(standing(one))).toBe(reason);
});

test('each state of a token has its words beside a refused call', () => {
  const words = Object.values(REFUSED_CALLS);
  for (const each of words) expect(each).toMatch(CLAUSE);
  expect(new Set(words).size).toBe(words.length);
});

test('the old API may know a token that is older than the bridge, until it refuses the token', () => {
  const sources = ['imported', 'observed', 'issued', 'registration'] as const;
  expect(sources.filter((source) => isFromBefore({ source }))).toEqual(['imported', 'observed']);
  expect(sources.filter((source) => isKnownThere({ source, refused_there_at: null }))).toEqual([
    'imported',
    'observed',
  ]);
  expect(isKnownThere({ source: 'imported', refused_there_at: 1 })).toBe(false);
});
