import type { ReminderMail } from '../../src/domain/support/describe-mapping.ts';
import { tokenStatusOf, type TokenStatusFacts } from '../../src/http/support/token/mapping-standing.ts';
import { deliveryWords, mailLines, stageWords } from '../../src/http/support/token/mail-words.ts';

/** How a token stands in one sentence, over every state and cause: a table of what support reads. */

const base: TokenStatusFacts = {
  state: 'active',
  reason: null,
  phase: 'before',
  holder: 'account',
  isUnidentified: false,
  isUnproven: false,
  isAppRetired: false,
  isOwnersOwn: false,
  isFromBefore: true,
  hasBackend: true,
  hasOldApi: true,
  grant: { state: 'ready', cause: null, isServing: true, isSuspect: false },
  handover: undefined,
};

/** The worlds in which no old API answers now. */
const LONE = { hasBackend: false, hasOldApi: false };
const RETIRED = { phase: 'retired', hasOldApi: false } as const;
const OWNERS = { isOwnersOwn: true, isFromBefore: false };

const grantIn = (state: 'presenting' | 'in_doubt' | 'dead', changes = {}) => ({
  grant: { state, cause: null, isServing: true, isSuspect: false, ...changes },
});

const table: Array<[string, Partial<TokenStatusFacts>, TokenStatusFacts['state'], RegExp, RegExp]> = [
  ['works', {}, 'active', /^It works: its calls are answered/, /Nothing has to be done/],
  ['is being renewed', grantIn('presenting'), 'active', /being renewed at this moment/, /again in a minute/],
  [
    'is in doubt and serves',
    grantIn('in_doubt'),
    'active',
    /works for now.*no whole answer/,
    /tried again by itself/,
  ],
  [
    'is in doubt and expired',
    grantIn('in_doubt', { isServing: false }),
    'active',
    /access token has expired/,
    /next attempt/,
  ],
  [
    'is suspected',
    { grant: { ...base.grant!, isSuspect: true } },
    'active',
    /refused its fresh access token/,
    /Test the connection/,
  ],
  ['is active on nothing', { grant: undefined }, 'active', /nothing serves it/, /operator/],
  [
    'is active on a dead grant',
    grantIn('dead', { cause: 'refused' }),
    'active',
    /nothing serves it/,
    /operator/,
  ],
  [
    'is active after the sunset',
    { phase: 'ended' },
    'active',
    /still connected, but the old API has ended/,
    /new API/,
  ],
  ['is active after the retirement', { phase: 'retired' }, 'active', /^It works/, /Nothing/],
  [
    'was refused',
    { reason: 'grant_refused' },
    'reauthorization_required',
    /stopped working: the new API refused/,
    /link/,
  ],
  ['was lost', { reason: 'grant_lost' }, 'reauthorization_required', /an answer .* was lost/, /link/],
  [
    'was superseded',
    { reason: 'grant_superseded' },
    'reauthorization_required',
    /restored from a backup/,
    /link/,
  ],
  [
    'stopped, known by its grant alone',
    { reason: null, ...grantIn('dead', { cause: 'lost' }) },
    'reauthorization_required',
    /was lost/,
    /link/,
  ],
  [
    'stopped by an end of access',
    grantIn('dead', { cause: 'deauthorized' }),
    'reauthorization_required',
    /or support ended the access/,
    /link/,
  ],
  [
    'stopped by a newer consent',
    grantIn('dead', { cause: 'replaced' }),
    'reauthorization_required',
    /newer connection took its place/,
    /link/,
  ],
  [
    'stopped by a hand-over',
    grantIn('dead', { cause: 'handed_over' }),
    'reauthorization_required',
    /took the connection over/,
    /link/,
  ],
  [
    'stopped for nothing that is known',
    { grant: undefined },
    'reauthorization_required',
    /its connection has ended/,
    /link/,
  ],
  [
    'was assigned',
    { reason: 'the owner called' },
    'reauthorization_required',
    /given to another app.*“the owner called”/,
    /link/,
  ],
  [
    'stopped after the sunset',
    { phase: 'ended', reason: 'grant_lost' },
    'reauthorization_required',
    /old API has ended as well/,
    /would not help/,
  ],
  ['waits', { grant: undefined }, 'unmapped', /the old API still answers/, /link/],
  ['waits without an old API', LONE, 'unmapped', /its calls are refused\.$/, /link/],
  ['waits after the retirement', RETIRED, 'unmapped', /refused since the retirement/, /link/],
  [
    'waits after a retirement that changed nothing',
    { ...LONE, phase: 'retired' },
    'unmapped',
    /its calls are refused\.$/,
    /link/,
  ],
  ['waits and was issued here', { isFromBefore: false }, 'unmapped', /its calls are refused\.$/, /link/],
  [
    'waits and was issued here, after the retirement',
    { ...RETIRED, isFromBefore: false },
    'unmapped',
    /its calls are refused\.$/,
    /link/,
  ],
  ['waits for an e-mail', { holder: 'email' }, 'unmapped', /e-mail address alone/, /have a lead say/],
  ['waits for an older id', { holder: 'older id' }, 'unmapped', /id of the old API/, /paste the token/],
  [
    'waits for an older id that the old API cannot be asked about',
    { ...LONE, holder: 'older id' },
    'unmapped',
    /id of the old API/,
    /import the pair of both ids/,
  ],
  [
    'waits for anybody where the old API cannot be asked',
    { ...LONE, holder: 'nothing' },
    'unmapped',
    /Whose it is, is not known/,
    /import the token with its account/,
  ],
  [
    'waits for anybody after the retirement',
    { ...RETIRED, holder: 'nothing' },
    'unmapped',
    /Whose it is, is not known/,
    /import the token with its account/,
  ],
  ['waits for anybody', { holder: 'nothing' }, 'unmapped', /Whose it is, is not known/, /paste the token/],
  [
    'is of an unidentified program',
    { holder: 'nothing', isUnidentified: true },
    'unmapped',
    /nobody registered/,
    /assign/,
  ],
  ['is the owner’s own', OWNERS, 'unmapped', /made for the app’s owner .* is refused until/, /link/],
  [
    'is the owner’s own, after the retirement',
    { ...RETIRED, ...OWNERS },
    'unmapped',
    /made for the app’s owner .* is refused until/,
    /link/,
  ],
  ['never was connected', { phase: 'ended' }, 'unmapped', /never connected/, /would not help/],
  [
    'was revoked by an end of access',
    { reason: 'deauthorized' },
    'revoked',
    /^It was revoked: .* or support ended the access\.$/,
    /final/,
  ],
  [
    'was revoked for a replay',
    { reason: 'code_replayed' },
    'revoked',
    /used twice/,
    /reload of its callback/,
  ],
  ['was revoked with a reason', { reason: 'it leaked' }, 'revoked', /“it leaked”/, /final/],
  ['was revoked without one', {}, 'revoked', /^It was revoked\.$/, /final/],
  ['moved', { handover: 'confirmed' }, 'migrated', /calls the new API itself/, /Nothing/],
  ['moved long ago', {}, 'migrated', /calls the new API itself/, /Nothing/],
  ['moved and was not confirmed', { handover: 'waits' }, 'migrated', /not confirmed yet/, /seven days/],
  ['moved and was erased', { handover: 'over' }, 'migrated', /erased here/, /anew/],
  ['is of a retired app', { isAppRetired: true }, 'active', /app was retired/, /people who make the app/],
];

test.each(table)('a token that %s is told of with its next step', (_, changes, state, sentence, next) => {
  const standing = tokenStatusOf({ ...base, ...changes, state });
  expect(standing.sentence).toMatch(sentence);
  expect(standing.next).toMatch(next);
});

const WORLDS = (['before', 'retired', 'ended'] as const).flatMap((phase) =>
  [true, false].flatMap((hasBackend) =>
    [true, false].map((isFromBefore) => ({
      phase,
      hasBackend,
      isFromBefore,
      hasOldApi: hasBackend && phase === 'before',
    })),
  ),
);

test('every state with every cause, world and holder has a sentence that ends, and a next step', () => {
  const states = ['unmapped', 'active', 'reauthorization_required', 'revoked', 'migrated'] as const;
  const causes = ['refused', 'lost', 'superseded', 'deauthorized', 'replaced', 'handed_over', null] as const;
  const grants = ['ready', 'presenting', 'in_doubt', 'dead'] as const;
  for (const state of states)
    for (const cause of causes)
      for (const grant of grants)
        for (const world of WORLDS)
          for (const holder of ['account', 'email', 'older id', 'nothing'] as const) {
            const grantFacts = { state: grant, cause, isServing: false, isSuspect: false };
            const { sentence, next } = tokenStatusOf({ ...base, ...world, state, holder, grant: grantFacts });
            expect(sentence).toMatch(/^[A-Z].+\.$/);
            expect(next).toMatch(/^[A-Z].+[.?]$/);
          }
});

test('the old API answers, or has answered until the retirement, what it may know alone', () => {
  const said = WORLDS.map((world) => {
    const { sentence } = tokenStatusOf({ ...base, ...world, state: 'unmapped' });
    const { phase, hasBackend, isFromBefore } = world;
    const isKnown = hasBackend && isFromBefore;
    expect(sentence.includes('still answers')).toBe(isKnown && phase === 'before');
    expect(sentence.includes('since the retirement')).toBe(isKnown && phase === 'retired');
    return sentence;
  });
  expect(new Set(said).size).toBe(4);
});

test('a mail is told of with what became of it', () => {
  const mail = { attempts: 0, failure: null, settled_at: null };
  expect(deliveryWords({ ...mail, state: 'sent' })).toMatchObject({ label: 'sent', kind: 'ok' });
  expect(deliveryWords({ ...mail, state: 'sent', failure: 'no answer' }).note).toContain('no answer');
  expect(deliveryWords({ ...mail, state: 'due' }).label).toBe('waits');
  expect(deliveryWords({ ...mail, state: 'due', attempts: 2, failure: 'busy' }).label).toBe('put off');
  expect(deliveryWords({ ...mail, state: 'sending' }).label).toBe('being sent');
  expect(deliveryWords({ ...mail, state: 'dropped' }).label).toBe('not needed');
  expect(deliveryWords({ ...mail, state: 'refused', failure: 'no such user' }).note).toContain(
    'no such user',
  );
  const lost = deliveryWords({ ...mail, state: 'undeliverable', failure: 'no address is known' });
  expect(lost).toMatchObject({ kind: 'danger', note: 'It could not be delivered: no address is known.' });
  expect(deliveryWords({ ...mail, state: 'undeliverable', settled_at: 1 }).note).toContain('Dealt with');
  expect(stageWords({ stage: '30', planned_for: 'retirement:2027-02-01' })).toBe(
    '30 days before the retirement on 2027-02-01',
  );
  expect(stageWords({ stage: '0', planned_for: 'sunset:2027-02-01' })).toBe(
    'on the day of the sunset on 2027-02-01',
  );
  expect(stageWords({ stage: 'died', planned_for: '1' })).toBe('a connection ended');
  const of = (mail_id: string, stage: string) => ({ mail_id, stage, ...mail, state: 'sent' }) as ReminderMail;
  const rows = mailLines([of('a', '30'), of('b', '7'), of('a', 'died')], 'agent');
  expect(rows.map(({ abouts }) => abouts.length)).toEqual([2, 1]);
});
