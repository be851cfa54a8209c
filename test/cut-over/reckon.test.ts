import type { MovingCalls } from '../../src/domain/cut-over/moving-calls.ts';
import {
  adviceWords,
  isDoubtful,
  outlookWords,
  verdictWords,
} from '../../src/domain/cut-over/outlook-words.ts';
import { needOf, reckon } from '../../src/domain/cut-over/reckon.ts';
import { costOf } from '../../src/domain/cut-over/request-costs.ts';
import type { WindowReading } from '../../src/domain/limits/budget-reading.ts';

/** Whether the budget suffices for calls that move: the reckoning by itself. */

const TODAY = '2026-11-23';
const CREATE = '/1/updates/create.json';
const PENDING = '/1/profiles/:id/updates/pending.json';

const calls = (day: string, endpoint: string, count: number) => ({ day, endpoint, calls: count });

const moving = (given: Partial<MovingCalls> = {}): MovingCalls => ({
  modernClientId: 'bridge',
  tokens: 2,
  accounts: 2,
  withoutPosts: { tokens: 0, accounts: 0 },
  calls: [calls('2026-11-14', CREATE, 10), calls(TODAY, CREATE, 40), calls(TODAY, PENDING, 60)],
  ...given,
});

const DAY: WindowReading = { limit: 250, left: 250, seconds: 86_400 };
const reading = (...windows: WindowReading[]) => ({ saidAt: 0, windows });

test.each([
  ['/1/updates/create', 1],
  ['/1/updates/create.json', 1],
  ['/1/updates/:id/update.json', 5],
  ['/1/profiles.json', 0],
  ['/1/nothing.json', 0],
  ['other', 1],
])('a call of %s costs %d', (endpoint, cost) => {
  expect(costOf(endpoint)).toBe(cost);
});

test('the busiest day counts, with the readings of the accounts, and the average over all days since the first', () => {
  expect(needOf(moving(), TODAY)).toEqual({
    day: TODAY,
    calls: 100,
    requests: 148,
    kinds: [
      { call: 'pendingUpdates', calls: 60, requests: 60 },
      { call: 'createUpdate', calls: 40, requests: 40 },
      { call: 'account', calls: undefined, requests: 48 },
    ],
    average: (148 + 20) / 10,
  });
});

test('few calls need the account no more often than there are calls', () => {
  expect(needOf(moving({ calls: [calls(TODAY, CREATE, 3)] }), TODAY).requests).toBe(6);
});

test('calls that cost nothing need nothing, and suffice with whatever is left', () => {
  const none = moving({ calls: [calls(TODAY, '/1/links/shares.json', 9000)] });
  expect(needOf(none, TODAY)).toMatchObject({ day: undefined, requests: 0, average: 0 });
  expect(reckon(none, reading({ ...DAY, left: 1 }), TODAY).verdict).toBe('suffices');
});

test.each<[string, WindowReading[], string, number[]]>([
  ['nothing is known of the budget', [], 'unknown', []],
  ['a day suffices', [DAY], 'suffices', [148]],
  ['a day is used up by others', [{ ...DAY, left: 170 }], 'short', [148]],
  ['the last tenth is not for calls', [{ ...DAY, left: 172 }], 'short', [148]],
  ['it just suffices', [{ ...DAY, left: 173 }], 'suffices', [148]],
  ['fifteen minutes get three times their share', [{ limit: 100, left: 100, seconds: 900 }], 'suffices', [5]],
  ['thirty days get the average', [{ limit: 7500, left: 7500, seconds: 2_592_000 }], 'suffices', [504]],
  ['one window of two is short', [DAY, { limit: 500, left: 500, seconds: 2_592_000 }], 'short', [148, 504]],
])('%s', (_what, windows, verdict, added) => {
  const outlook = reckon(moving(), windows.length > 0 ? reading(...windows) : undefined, TODAY);
  expect([outlook.verdict, outlook.windows.map((window) => window.added)]).toEqual([verdict, added]);
});

const READER = { time: () => 'noon', sharedClientId: 'bridge' };

test('what is short is said with its figures, and an own client is recommended where apps share one', () => {
  const short = reckon(moving(), reading({ ...DAY, left: 100 }), TODAY);
  expect(outlookWords(short, READER)).toEqual([
    '2 accounts (counted once for each app) with 2 tokens at the client that all apps without one of their own share:',
    'On their busiest day, 2026-11-23, they made 100 calls that will cost 148 requests of the new API: 60 for profiles/:id/updates/pending, 40 for updates/create, 48 for the accounts themselves. Each call counts as its dearest form: by an id that the old API told, and for the longest queue. A create for several profiles costs one for each, and a page far down a list up to six.',
    'The new API told the budget at noon.',
    'In 1 day the client may send 250 requests, of which 225 serve calls. 150 are used and about 148 will be added: NOT enough.',
  ]);
  expect(verdictWords([short])).toContain('does not suffice');
  expect([isDoubtful([short]), adviceWords([short], 'bridge'), adviceWords([short], 'another')]).toEqual([
    true,
    expect.stringContaining('A client of its own'),
    undefined,
  ]);
});

test('where calls are missing, no window is called enough, and what is added is a least number', () => {
  const counted = { days: 1, isPartial: true };
  const lines = outlookWords({ ...reckon(moving(), reading(DAY), TODAY), counted }, READER).join(' ');
  expect(lines).toContain('at least 148 will be added: enough for the calls that are known.');
  expect(lines).not.toMatch(/about \d+ will be added|: enough\./);
});

test('what is not known is said as that', () => {
  const unknown = reckon(moving({ withoutPosts: { tokens: 2, accounts: 1 } }), undefined, TODAY);
  const words = outlookWords(unknown, READER).join(' ');
  expect(words).toContain('has not told its budget');
  expect(words).toContain('1 account with 2 tokens never consented to posts:read and posts:write');
  expect(verdictWords([unknown])).toContain('is not known');
  expect(isDoubtful([unknown])).toBe(true);
});

test.each([
  [undefined, /new API in the last 30 days\. /],
  [{ days: 30, isPartial: true }, /new API is known of the last 30 days\. /],
  [{ days: 30, isPartial: true, since: 1 }, /new API since noon\. /],
])('that no call is known is one sentence, with what was counted: %j', (counted, sentence) => {
  const none = { ...reckon(moving({ calls: [] }), reading(DAY), TODAY), ...(counted && { counted }) };
  expect(outlookWords(none, READER).join(' ')).toMatch(sentence);
});

test('what suffices needs no confirmation and no advice', () => {
  const enough = reckon(moving(), reading(DAY), TODAY);
  expect([isDoubtful([enough]), adviceWords([enough], 'bridge')]).toEqual([false, undefined]);
  expect(verdictWords([enough])).toContain('suffices');
});
