import {
  sideSentence,
  type SupportFacts,
  supportStatus,
} from '../../src/domain/tokens/standing/for-support.ts';
import { type GrantFacts, standingOf, type TokenFacts } from '../../src/domain/tokens/standing/standing.ts';
import type { OldApiFacts, Phase } from '../../src/domain/lifecycle/old-api-status.ts';

/** How a token stands in one sentence, over every state and cause: a table of what support reads. */

type Facts = TokenFacts & Omit<SupportFacts, 'hasOldApi'>;

const READY: GrantFacts = { state: 'ready', isServing: true, isSuspect: false };

const base: Facts = {
  state: 'active',
  reason: null,
  source: 'imported',
  holder: 'account',
  isUnidentified: false,
  isUnproven: false,
  isAppRetired: false,
  oldApi: { phase: 'before', hasBackend: true },
  grant: READY,
  cause: null,
  isOfTakeOver: false,
  isLastRefused: false,
};

function statusOf(facts: Facts) {
  const { phase, hasBackend } = facts.oldApi;
  return supportStatus(standingOf(facts), { ...facts, hasOldApi: hasBackend && phase === 'before' });
}

/** What no old API answers now. */
const LONE = { oldApi: { phase: 'before', hasBackend: false } } as const;
const RETIRED = { oldApi: { phase: 'retired', hasBackend: true } } as const;
const ENDED = { oldApi: { phase: 'ended', hasBackend: true } } as const;
const OWNERS = { source: 'registration' } as const;

const grantIn = (state: GrantFacts['state'], changes: Partial<GrantFacts> = {}) => ({
  grant: { ...READY, state, ...changes },
});

const dead = (cause: string) => ({ ...grantIn('dead'), cause });

const outageOf = (rehearses: 'retirement' | 'sunset') => ({
  oldApi: { phase: 'before', hasBackend: true, outage: { rehearses, endsAt: 1 } } as OldApiFacts,
});

const REFUSED = /^It is refused now: it is not connected to the new API\.$/;

const table: Array<[string, Partial<Facts>, Facts['state'], RegExp, RegExp]> = [
  ['works', {}, 'active', /^It works: it is connected/, /Nothing has to be done/],
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
    grantIn('ready', { isSuspect: true }),
    'active',
    /refused its fresh access token/,
    /Test the connection/,
  ],
  ['is active on nothing', { grant: null }, 'active', /nothing serves it/, /operator/],
  ['is active on a dead grant', dead('refused'), 'active', /nothing serves it/, /operator/],
  ['is active after the sunset', ENDED, 'active', /still connected, but the old API has ended/, /new API/],
  ['is active after the retirement', RETIRED, 'active', /^It works/, /Nothing/],
  [
    'was refused',
    { reason: 'grant_refused' },
    'reauthorization_required',
    /stopped working: the new API refused/,
    /link/,
  ],
  ['was lost', { reason: 'grant_lost' }, 'reauthorization_required', /the reply .* was lost/, /link/],
  [
    'was superseded',
    { reason: 'grant_superseded' },
    'reauthorization_required',
    /restored from a backup/,
    /link/,
  ],
  [
    'stopped, known by its grant alone',
    { reason: null, ...dead('lost') },
    'reauthorization_required',
    /was lost/,
    /link/,
  ],
  [
    'stopped by an end of access',
    dead('deauthorized'),
    'reauthorization_required',
    /or support ended the access/,
    /link/,
  ],
  [
    'stopped by a newer consent',
    dead('replaced'),
    'reauthorization_required',
    /newer connection took its place/,
    /link/,
  ],
  [
    'stopped by a hand-over',
    dead('handed_over'),
    'reauthorization_required',
    /took the connection over/,
    /link/,
  ],
  [
    'stopped for nothing that is known',
    { grant: null },
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
    { ...ENDED, reason: 'grant_lost' },
    'reauthorization_required',
    /old API has ended too/,
    /would not help/,
  ],
  ['waits', { grant: null }, 'unmapped', /the old API still answers/, /link/],
  ['waits without an old API', LONE, 'unmapped', REFUSED, /link/],
  [
    'waits after the retirement',
    RETIRED,
    'unmapped',
    /refused now: it was not connected .* before the retirement/,
    /link/,
  ],
  [
    'waits after a retirement that changed nothing',
    { oldApi: { phase: 'retired', hasBackend: false } },
    'unmapped',
    REFUSED,
    /link/,
  ],
  ['waits and was issued here', { source: 'issued' }, 'unmapped', REFUSED, /link/],
  [
    'waits and was issued here, after the retirement',
    { ...RETIRED, source: 'issued' },
    'unmapped',
    REFUSED,
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
  ['is the owner’s own', OWNERS, 'unmapped', /refused now: it was made for the app’s owner/, /link/],
  [
    'is the owner’s own, after the retirement',
    { ...RETIRED, ...OWNERS },
    'unmapped',
    /refused now: it was made for the app’s owner/,
    /link/,
  ],
  ['never was connected', ENDED, 'unmapped', /never connected/, /would not help/],
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
  ['moved and was not confirmed', { handover: 'open' }, 'migrated', /not confirmed yet/, /seven days/],
  ['moved and was erased', { handover: 'lapsed' }, 'migrated', /erased here/, /anew/],
  [
    'waits in an outage',
    outageOf('retirement'),
    'unmapped',
    /^It is refused by a short test outage.*not connected/,
    /link/,
  ],
  ['waits in an outage of the sunset', outageOf('sunset'), 'unmapped', /^It is refused by a short/, /link/],
  ['works in an outage of the retirement', outageOf('retirement'), 'active', /^It works/, /Nothing/],
  ['works but for an outage', outageOf('sunset'), 'active', /^It is refused by a short/, /ends by itself/],
  ['works unproven', { isUnproven: true }, 'active', /^It works.* Nobody was asked/, /Ask the account/],
  ['is of a retired app', { isAppRetired: true }, 'active', /app was retired/, /people who make the app/],
];

test.each(table)('a token that %s is told of with its next step', (_, changes, state, sentence, next) => {
  const standing = statusOf({ ...base, ...changes, state });
  expect(standing.sentence).toMatch(sentence);
  expect(standing.next).toMatch(next);
});

const PHASES: readonly Phase[] = ['before', 'retired', 'ended'];
const WORLDS = PHASES.flatMap((phase) =>
  [true, false].map((hasBackend) => ({ oldApi: { phase, hasBackend } })),
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
            const grantFacts = { state: grant, isServing: false, isSuspect: false };
            const { sentence, next } = statusOf({
              ...base,
              ...world,
              state,
              holder,
              cause,
              grant: grantFacts,
            });
            expect(sentence).toMatch(/^[A-Z].+\.$/);
            expect(next).toMatch(/^[A-Z].+[.?]$/);
          }
});

test('the old API answers, or has answered until the retirement, what it may know alone', () => {
  const sources = ['imported', 'issued'] as const;
  const said = WORLDS.flatMap((world) =>
    sources.map((source) => {
      const { sentence } = statusOf({ ...base, ...world, source, state: 'unmapped' });
      const { phase, hasBackend } = world.oldApi;
      const isKnown = hasBackend && source === 'imported';
      expect(sentence.includes('still answers')).toBe(isKnown && phase === 'before');
      expect(sentence.includes('before the retirement')).toBe(isKnown && phase === 'retired');
      return sentence;
    }),
  );
  expect(new Set(said).size).toBe(4);
});

const side = (facts: Partial<TokenFacts>) => sideSentence(standingOf({ ...base, ...facts }));

test('the API that answers is told where two could', () => {
  expect(side({})).toContain('The old API answers its calls until');
  expect(side({ isCutOver: true })).toContain('the app is cut over');
  expect(side({ isCutOver: true, isRefusedThere: true })).toContain('the old API has refused the token');
  for (const one of [LONE, RETIRED, ENDED, { source: 'issued' }, { state: 'unmapped' }] as const)
    expect(side(one)).toBeUndefined();
});
