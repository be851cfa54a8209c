import {
  sideSentence,
  type SupportFacts,
  supportStatus,
} from '../../../src/domain/tokens/standing/for-support.ts';
import type { TokenConnection, TokenStanding } from '../../../src/domain/tokens/standing/standing.ts';

/** What support reads of a token, and what the next step is, standing by standing. */

type Case = TokenStanding extends infer One
  ? One extends unknown
    ? Omit<One, 'canConnect' | 'endsAt'>
    : never
  : never;

const standing = (one: Case) => ({ ...one, canConnect: false, endsAt: undefined }) as TokenStanding;

const FACTS: SupportFacts = {
  holder: 'account',
  isUnidentified: false,
  isUnproven: false,
  cause: null,
  isOfTakeOver: false,
  hasOldApi: false,
  isLastRefused: false,
};

const statusOf = (one: Case, facts: Partial<SupportFacts> = {}) =>
  supportStatus(standing(one), { ...FACTS, ...facts });

const served = (connection: TokenConnection): Case => ({ is: 'served', connection, side: 'new' });

const kind = (word: string, sentence: string, next: string) => ({
  kind: word,
  sentence: expect.stringMatching(sentence),
  next: expect.stringMatching(next),
});

test.each<[TokenConnection, ReturnType<typeof kind>]>([
  ['ready', kind('ok', '^It works: it is connected to the new API\\.$', '^Nothing has to be done\\..*\\.$')],
  ['renewing', kind('ok', '^It works; its connection is being renewed', 'Load the page again')],
  ['suspect', kind('warning', 'the new API refused its fresh access token', 'Test the connection')],
  [
    'in doubt',
    kind('warning', '^It works for now, but its renewal got no whole answer', '^Wait: it is tried again'),
  ],
  ['in doubt, expired', kind('warning', '^Its renewal got no whole answer', '^Wait until the next attempt')],
  [
    'stranded',
    kind(
      'warning',
      '^It works for now, but its connection is not renewed',
      '^Tell the operator that MODERN_',
    ),
  ],
  [
    'stranded, expired',
    kind('warning', '^Its access token has expired and its connection is not renewed', '^Tell the operator'),
  ],
  [
    'resting, expired',
    kind(
      'warning',
      '^Its access token has expired and could not be renewed yet',
      '^Wait for the next attempt',
    ),
  ],
  ['missing', kind('error', 'nothing serves it', 'Tell the operator the id')],
])('of a connection that is %s', (connection, status) => {
  expect(statusOf(served(connection))).toEqual(status);
});

test('of a connection that a take-over put in doubt no lost answer is told', () => {
  const sentences = (['in doubt', 'in doubt, expired', 'ready'] as const).map((connection) => {
    const usual = statusOf(served(connection));
    const status = statusOf(served(connection), { isOfTakeOver: true });
    expect(status).toMatchObject({ kind: usual.kind, next: usual.next });
    return status.sentence === usual.sentence ? 'usual' : status.sentence;
  });
  expect(sentences).toEqual([
    expect.stringMatching(/^It works for now, but its connection stood in a restored copy/),
    expect.stringMatching(
      /^Its connection stood in a restored copy.* calls that the new API answers get the last known answer or 503\.$/,
    ),
    'usual',
  ]);
});

const UNPROVEN =
  'Nobody was asked whether it belongs to this app: an earlier version believed what a call said.';

test('a token that nobody has proven has that beside its standing while it is connected', () => {
  const connected: Case[] = [served('ready'), { is: 'interrupted', isConnected: true, until: 1 }];
  for (const one of connected)
    expect(statusOf(one, { isUnproven: true })).toEqual({
      kind: 'warning',
      sentence: `${statusOf(one).sentence} ${UNPROVEN}`,
      next: 'Ask the account holder. Then assign it to its app, which may be this one, or revoke it.',
    });
  const others: Case[] = [
    { is: 'passed' },
    { is: 'interrupted', isConnected: false, until: 1 },
    { is: 'orphaned' },
  ];
  for (const one of others) expect(statusOf(one, { isUnproven: true })).toEqual(statusOf(one));
});

/** Of a token without a connection: what is known of its holder, and the step that follows. */
const HOLDERS: ReadonlyArray<readonly [Partial<SupportFacts>, known: string, next: string]> = [
  [{ holder: 'account' }, '', '^Make a link to connect and send it'],
  [
    { holder: 'email' },
    ' Its holder is known by an e-mail address alone, which nobody has proven.',
    '^Send a reminder: its link shows that the e-mail address is theirs\\.',
  ],
  [
    { holder: 'older id' },
    ' Its holder is known by an id of the old API alone.',
    '^Find out which account this user has now',
  ],
  [
    { holder: 'older id', hasOldApi: true },
    ' Its holder is known by an id of the old API alone.',
    'paste the token there',
  ],
  [{ holder: 'nothing' }, ' Whose it is, is not known.', '^Find out whose it is'],
  [{ holder: 'nothing', hasOldApi: true }, ' Whose it is, is not known.', 'paste the token there'],
  [
    { holder: 'account', isUnidentified: true },
    ' It is used by a program that nobody registered.',
    '^Find out which app this is and assign the token to it',
  ],
];

test('a token whose last call was refused is not said to be answered', () => {
  expect(statusOf({ is: 'passed' }, { isLastRefused: true }).sentence).toBe(
    'It is not connected to the new API yet; its calls go to the old API, and its last call was refused.',
  );
});

const UNCONNECTED: ReadonlyArray<readonly [Case, string]> = [
  [{ is: 'passed' }, 'It is not connected to the new API yet; the old API still answers its calls.'],
  [
    { is: 'refused', why: 'registration' },
    'It is refused now: it was made for the app’s owner at the registration, and works once the owner connects the app.',
  ],
  [
    { is: 'refused', why: 'retired', since: 1 },
    'It is refused now: it was not connected to the new API before the retirement.',
  ],
  [{ is: 'refused', why: 'unanswered' }, 'It is refused now: it is not connected to the new API.'],
  [
    { is: 'interrupted', isConnected: false, until: 1 },
    'It is refused by a short test outage (brownout). After it, its calls are answered as before. It is not connected to the new API yet.',
  ],
];

test.each(HOLDERS)('of a token that is not connected, with %j', (facts, known, next) => {
  for (const [one, sentence] of UNCONNECTED)
    expect(statusOf(one, facts)).toEqual({
      kind: 'warning',
      sentence: `${sentence}${known}`,
      next: expect.stringMatching(next),
    });
  expect(statusOf({ is: 'stopped', reason: null }, facts).next).toMatch(new RegExp(next));
});

const LOST = 'the reply of the new API was lost while the connection was renewed, so the connection ended';

test.each<[reason: string | null, cause: string | null, why: string]>([
  ['grant_lost', null, LOST],
  ['grant_lost', 'replaced', LOST],
  [null, 'lost', LOST],
  ['grant_of_later', null, 'its connection has ended'],
  [null, null, 'its connection has ended'],
  ['Ms X', 'lost', 'it was given to another app, and its connection did not come along (“Ms X”)'],
])('of a token that stopped for %j, its grant for %j', (reason, cause, why) => {
  expect(statusOf({ is: 'stopped', reason }, { cause })).toEqual({
    kind: 'error',
    sentence: `It has stopped working: ${why}.`,
    next: 'Make a link to connect and send it to the account holder.',
  });
  expect(statusOf({ is: 'ended', was: 'stopped', reason }, { cause })).toEqual({
    kind: '',
    sentence: `It has stopped working: ${why}. The old API has ended too.`,
    next: expect.stringMatching('^The old API has ended for this app'),
  });
});

const FINAL =
  '^This is final\\. To use the app again, the account holder connects it anew from the app, which gives it a new token\\.';

test.each<[Case, ReturnType<typeof kind>]>([
  [
    { is: 'interrupted', isConnected: true, until: 1 },
    kind('warning', 'as before\\.$', 'ends by itself\\.$'),
  ],
  [
    { is: 'ended', was: 'connected' },
    kind(
      '',
      '^It is still connected, but the old API has ended, so every call is refused\\.$',
      'would not help',
    ),
  ],
  [
    { is: 'ended', was: 'unconnected' },
    kind('', '^It was never connected to the new API, and the old API has ended\\.$', 'would not help'),
  ],
  [{ is: 'revoked', reason: null }, kind('', '^It was revoked\\.$', `${FINAL}$`)],
  [
    { is: 'revoked', reason: 'Ms X' },
    kind('', '^It was revoked\\. The reason that was given: “Ms X”\\.$', `${FINAL}$`),
  ],
  [
    { is: 'revoked', reason: 'deauthorized' },
    kind('', '^It was revoked: the account holder, the app or support ended the access\\.$', `${FINAL}$`),
  ],
  [
    { is: 'revoked', reason: 'code_replayed' },
    kind(
      '',
      '^It was revoked: the code that it was made from was used twice',
      `${FINAL} Ask the people who make the app`,
    ),
  ],
  [
    { is: 'orphaned' },
    kind('', '^It is refused, because its app was retired\\.$', 'Ask the people who make the app'),
  ],
  [
    { is: 'moved', handover: 'open' },
    kind('warning', 'calls the new API itself\\. The app has not confirmed yet', '^Remind the app’s owner'),
  ],
  [
    { is: 'moved', handover: 'lapsed' },
    kind('warning', 'calls the new API itself\\. The app never confirmed that', '^If the app lost them'),
  ],
  [{ is: 'moved', handover: 'confirmed' }, kind('', 'calls the new API itself\\.$', 'refused for good\\.$')],
  [{ is: 'moved', handover: undefined }, kind('', 'calls the new API itself\\.$', 'refused for good\\.$')],
])('of %j', (one, status) => {
  expect(statusOf(one)).toEqual(status);
});

test('a revocation that can be taken back is not called final', () => {
  const [one, undoUntil] = [{ is: 'revoked', reason: 'Ms X' } as const, Date.parse('2027-02-01T09:00:00.7Z')];
  const { next } = statusOf(one, { undoUntil });
  expect(next).toMatch(
    /^If this was a mistake, it can be taken back until 2027-02-01T09:00:00Z\. Otherwise it is final\. To use/,
  );
});

test('which API answers is told of a connected token where there are two', () => {
  const sides = (['old', 'cut over', 'refused there', 'new'] as const).map((side) =>
    sideSentence(standing({ is: 'served', connection: 'ready', side })),
  );
  expect(sides).toEqual([
    expect.stringMatching(/^The old API answers its calls until the retirement/),
    expect.stringMatching(/the app is cut over for this account\.$/),
    expect.stringMatching(/the old API has refused the token\.$/),
    undefined,
  ]);
  expect(sideSentence(standing({ is: 'passed' }))).toBeUndefined();
});
