import { stateLines } from '../../src/http/wording/state-words.ts';
import type { OldApiStatus, Phase } from '../../src/domain/lifecycle/old-api-status.ts';
import {
  holderWords,
  hintWords,
  type PersonTokenFacts,
  tokenWords,
} from '../../src/http/wording/token-words.ts';

/** What tokens and their states are called, without a server. */

const oldApi = (phase: Phase, hasBackend = true): OldApiStatus => ({
  phase,
  hasBackend,
  hasOldApi: hasBackend && phase === 'before',
});

const RUNS = oldApi('before');
const ENDED = { oldApi: oldApi('ended') };

const FACTS: PersonTokenFacts = {
  state: 'active',
  reason: null,
  source: 'imported',
  grant: { state: 'ready' },
  account_id: 'a1',
  isExpected: false,
  isOwn: false,
  oldApi: RUNS,
};

const ROWS: Array<
  [says: string, facts: Partial<PersonTokenFacts>, label: string, kind: string, reason: RegExp]
> = [
  ['a connected one works', {}, 'connected', 'ok', /^Connected\./],
  [
    'one in doubt works, and says so',
    { grant: { state: 'in_doubt' } },
    'connected',
    'ok',
    /^Whether the connection can be renewed is not certain\. It works on meanwhile/,
  ],
  [
    'one in doubt whose access token has expired does not work on',
    { grant: { state: 'in_doubt', isServing: false } },
    'connected',
    'ok',
    /what it gave last has expired/,
  ],
  ['after the sunset it is connected in vain', ENDED, 'connected', 'ok', /old API has ended/],
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
    'one that was issued here the old API never knew',
    { state: 'unmapped', isOwn: true, source: 'issued' },
    'waiting',
    'warning',
    /^You have not/,
  ],
  [
    'one that was seen in use it knows',
    { state: 'unmapped', isOwn: true, source: 'observed' },
    'waiting',
    'warning',
    /^You have not/,
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
    { state: 'unmapped', account_id: null, oldApi: oldApi('before', false) },
    'waiting',
    'warning',
    /Nobody has shown yet whose it is\. Support can find out/,
  ],
  [
    'after the retirement it is refused',
    { state: 'unmapped', oldApi: oldApi('retired') },
    'waiting',
    'warning',
    /^Its holder/,
  ],
  [
    'after the sunset nothing helps it',
    { state: 'unmapped', ...ENDED },
    'waiting',
    'warning',
    /never connected/,
  ],
  [
    'one that was refused says where it was ended',
    { state: 'reauthorization_required', reason: 'grant_refused' },
    'stopped',
    'warning',
    /^The new API refused .*revoked in the account settings.* Its holder has to connect again\.$/,
  ],
  [
    'one whose answer was lost says so',
    { state: 'reauthorization_required', reason: 'grant_lost', isOwn: true },
    'stopped',
    'warning',
    /was lost while.* Connect again\.$/,
  ],
  [
    'one of a copy says so',
    { state: 'reauthorization_required', reason: 'grant_superseded' },
    'stopped',
    'warning',
    /^This service was restored from a backup/,
  ],
  [
    'after the sunset there is nothing to mend',
    { state: 'reauthorization_required', reason: 'grant_lost', ...ENDED },
    'stopped',
    'warning',
    / The old API has ended too\.$/,
  ],
  [
    'the words of support are for the holder',
    { state: 'revoked', reason: 'Dana called us', isOwn: true },
    'revoked',
    'muted',
    /Dana called us/,
  ],
  [
    'and for nobody else',
    { state: 'revoked', reason: 'Dana called us' },
    'revoked',
    'muted',
    /^Ended for good\. It cannot be connected again\.$/,
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
    'muted',
    /^Ended for good\. It cannot be connected again\.$/,
  ],
  [
    'a deauthorized one names who ends access',
    { state: 'revoked', reason: 'deauthorized' },
    'revoked',
    'muted',
    /^The account holder, the app or support ended the access\.$/,
  ],
  [
    'one of a replayed code says so',
    { state: 'revoked', reason: 'code_replayed' },
    'revoked',
    'muted',
    /used twice/,
  ],
  ['a moved one needs nothing', { state: 'migrated', reason: 'handed_over' }, 'moved', 'accent', /new API/],
];

test.each(ROWS)('a token: %s', (_says, facts, label, kind, reason) => {
  expect(tokenWords({ ...FACTS, ...facts })).toEqual({ label, kind, reason: expect.stringMatching(reason) });
});

test('what is counted has the label that each of the tokens has', () => {
  const states = ['unmapped', 'active', 'reauthorization_required', 'revoked', 'migrated'] as const;
  const outages = [undefined, 'retirement', 'sunset'] as const;
  for (const phase of ['before', 'retired', 'ended'] as const)
    for (const hasBackend of [true, false])
      for (const rehearses of outages)
        for (const state of states) {
          const met = { ...oldApi(phase, hasBackend), outage: rehearses && { rehearses, endsAt: 1 } };
          const { label, kind } = tokenWords({ ...FACTS, state, oldApi: met });
          expect(stateLines({ [state]: 1 }, met)).toMatchObject([{ label, kind }]);
        }
});

test('tokens that the old API never saw are told apart while they are not connected', () => {
  const lines = stateLines({ unmapped: 3, active: 2 }, oldApi('before'), 1);
  expect(lines.map(({ tokens, label, meaning }) => [tokens, label, meaning])).toEqual([
    ['1 token', 'waiting', expect.stringMatching(/^Not connected to the new API\. Connect the app/)],
    ['2 tokens', 'waiting', expect.stringContaining('The old API answers its calls meanwhile.')],
    ['2 tokens', 'connected', 'Calls are answered.'],
  ]);
  expect(stateLines({ unmapped: 1 }, oldApi('before'), 1)).toHaveLength(1);
  // Elsewhere they stand alike.
  for (const alike of [oldApi('retired'), oldApi('ended'), oldApi('before', false)])
    expect(stateLines({ unmapped: 3 }, alike, 1)).toMatchObject([{ tokens: '3 tokens' }]);
});

const outage = (rehearses: 'retirement' | 'sunset') => ({ ...RUNS, outage: { rehearses, endsAt: 1 } });

test('a brownout is told of beside who has to act', () => {
  const unmapped = tokenWords({ ...FACTS, state: 'unmapped', oldApi: outage('retirement') });
  expect(unmapped).toEqual({
    label: 'interrupted',
    kind: 'warning',
    reason: expect.stringMatching(/^Its holder has not connected .* A short test outage/),
  });
  expect(tokenWords({ ...FACTS, oldApi: outage('retirement') }).label).toBe('connected');
  expect(tokenWords({ ...FACTS, oldApi: outage('sunset') })).toMatchObject({
    label: 'interrupted',
    kind: 'warning',
  });
});

test('a connected token without a connection is not said to work well', () => {
  for (const grant of [null, { state: 'dead' }] as const)
    expect(tokenWords({ ...FACTS, grant }).reason).toContain('Write to support');
});

test('connecting is promised to bring back what the new API answers, not every call', () => {
  const states = { reauthorization_required: 1, unmapped: 1 };
  for (const { meaning } of stateLines(states, oldApi('retired')))
    expect(meaning).toMatch(/Connect .*and its calls work; only changing posting times may be refused\./);
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
