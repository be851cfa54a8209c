import { type Lifecycle, type Milestone } from '../../src/domain/lifecycle/lifecycle.ts';
import { oldApiStatusOf, type OldApiFacts } from '../../src/domain/lifecycle/old-api-status.ts';
import {
  type TokenConnection,
  type GrantFacts,
  type TokenStanding,
  standingOf,
  type TokenFacts,
} from '../../src/domain/tokens/standing/standing.ts';
import { callerReason } from '../../src/domain/tokens/standing/for-caller.ts';
import { STANDING_WORDS, standingWords } from '../../src/domain/tokens/standing/words.ts';
import type { MappingSource, MappingState } from '../../src/store/tables/tables.ts';

/** How a token stands: every state and source in every world that can occur. */

const [RETIRES, SUNSET, OVER] = [1000, 2000, 500];

const outage = (rehearses: Milestone) => ({ rehearses, endsAt: OVER });

const DATES = { retiresAt: RETIRES, sunsetAt: SUNSET };

/** The worlds, in the order of the columns below. A brownout of the retirement needs an old API. */
const WORLDS: Record<string, OldApiFacts> = {
  runs: { phase: 'before', hasBackend: true, ...DATES },
  'outage of the retirement': {
    phase: 'before',
    hasBackend: true,
    outage: outage('retirement'),
    ...DATES,
  },
  'outage of the sunset': { phase: 'before', hasBackend: true, outage: outage('sunset'), ...DATES },
  retired: { phase: 'retired', hasBackend: true, ...DATES },
  'retired, outage of the sunset': {
    phase: 'retired',
    hasBackend: true,
    outage: outage('sunset'),
    ...DATES,
  },
  ended: { phase: 'ended', hasBackend: true, ...DATES },
  alone: { phase: 'before', hasBackend: false, ...DATES },
  'alone, outage of the sunset': {
    phase: 'before',
    hasBackend: false,
    outage: outage('sunset'),
    ...DATES,
  },
  'alone, retired': { phase: 'retired', hasBackend: false, ...DATES },
  'alone, ended': { phase: 'ended', hasBackend: false, ...DATES },
};

const same = (word: string, last: string) => [
  ...Array.from({ length: 5 }, () => word),
  last,
  ...Array.from({ length: 3 }, () => word),
  last,
];

const CONNECTED = 'served served outage served outage connected served outage served connected'.split(' ');
const KNOWN = 'passed outage outage retired retired never unanswered unanswered unanswered never'.split(' ');

/** What each state and source is in each world. */
const TABLE: ReadonlyArray<readonly [MappingState, readonly MappingSource[], readonly string[]]> = [
  ['active', ['imported', 'observed', 'issued', 'registration'], CONNECTED],
  ['unmapped', ['imported', 'observed'], KNOWN],
  ['unmapped', ['issued'], same('unanswered', 'never')],
  ['unmapped', ['registration'], same('registration', 'never')],
  ['reauthorization_required', ['imported', 'observed', 'issued', 'registration'], same('stopped', 'over')],
  ['revoked', ['imported', 'observed', 'issued', 'registration'], same('revoked', 'revoked')],
  ['migrated', ['imported', 'observed', 'issued', 'registration'], same('moved', 'moved')],
];

const REASON = 'grant_lost';

/** What each word of the table stands for, apart from what is the same for all. */
const MEANT: Record<string, Omit<TokenStanding, 'canConnect' | 'endsAt'> & Record<string, unknown>> = {
  served: { is: 'served', connection: 'ready' },
  passed: { is: 'passed' },
  retired: { is: 'refused', why: 'retired', since: RETIRES },
  unanswered: { is: 'refused', why: 'unanswered' },
  registration: { is: 'refused', why: 'registration' },
  stopped: { is: 'stopped', reason: REASON },
  connected: { is: 'ended', was: 'connected' },
  never: { is: 'ended', was: 'unconnected' },
  over: { is: 'ended', was: 'stopped', reason: REASON },
  revoked: { is: 'revoked', reason: REASON },
  moved: { is: 'moved' },
};

const CONNECTABLE = ['passed', 'retired', 'unanswered', 'registration', 'stopped'];
const ENDS: Record<string, number> = { served: SUNSET, passed: RETIRES };

function meant(word: string, state: MappingState) {
  if (word === 'outage')
    return {
      is: 'interrupted',
      isConnected: state === 'active',
      until: OVER,
      canConnect: state === 'unmapped',
      endsAt: undefined,
    };
  return { ...MEANT[word], canConnect: CONNECTABLE.includes(word), endsAt: ENDS[word] };
}

const CASES = TABLE.flatMap(([state, sources, row]) =>
  sources.flatMap((source) =>
    Object.entries(WORLDS).map(([world, oldApi], index) => ({
      state,
      source,
      world,
      oldApi,
      word: row[index] ?? '',
    })),
  ),
);

const BASE: TokenFacts = { state: 'active', reason: REASON, source: 'imported', oldApi: WORLDS['runs']! };

test.each(CASES)('$state, $source, $world: $word', ({ state, source, oldApi, word }) => {
  const standing = standingOf({ ...BASE, state, source, oldApi });
  expect(standing).toMatchObject(meant(word, state));
  expect(standingOf({ ...BASE, state, source, oldApi, isAppRetired: true })).toEqual({
    is: 'orphaned',
    canConnect: false,
    endsAt: undefined,
  });
});

test('the table has every state, source and world', () => {
  expect(CASES).toHaveLength(5 * 4 * Object.keys(WORLDS).length);
  expect(new Set(CASES.map(({ state, source, world }) => `${state} ${source} ${world}`)).size).toBe(
    CASES.length,
  );
});

const end = (state: MappingState, dates: Partial<OldApiFacts>) =>
  standingOf({ ...BASE, state, oldApi: { phase: 'before', hasBackend: true, ...dates } }).endsAt;

test('the first date ahead ends what works, and no date ends nothing', () => {
  expect(end('unmapped', { retiresAt: 9, sunsetAt: 5 })).toBe(5);
  expect(end('active', { retiresAt: 3, sunsetAt: 5 })).toBe(5);
  expect(end('active', { retiresAt: 3 })).toBeUndefined();
  expect(end('unmapped', {})).toBeUndefined();
});

const GRANTS: ReadonlyArray<readonly [GrantFacts | null | undefined, TokenConnection]> = [
  [undefined, 'ready'],
  [null, 'missing'],
  [{ state: 'dead' }, 'missing'],
  [{ state: 'ready' }, 'ready'],
  [{ state: 'presenting' }, 'renewing'],
  [{ state: 'ready', isSuspect: true }, 'suspect'],
  [{ state: 'presenting', isSuspect: true }, 'suspect'],
  [{ state: 'in_doubt' }, 'in doubt'],
  [{ state: 'in_doubt', isServing: false }, 'in doubt, expired'],
  [{ state: 'in_doubt', isSuspect: true }, 'in doubt'],
  [{ state: 'ready', isServing: false }, 'ready'],
  [{ state: 'ready', isResting: true }, 'ready'],
  [{ state: 'ready', isResting: true, isServing: false }, 'resting, expired'],
  [{ state: 'ready', isResting: true, isServing: false, isSuspect: true }, 'suspect'],
  [{ state: 'presenting', isResting: true, isServing: false }, 'renewing'],
  [{ state: 'in_doubt', isResting: true, isServing: false }, 'in doubt, expired'],
  [{ state: 'ready', isStranded: true }, 'stranded'],
  [{ state: 'ready', isStranded: true, isServing: false }, 'stranded, expired'],
  [{ state: 'ready', isStranded: true, isServing: false, isResting: true }, 'stranded, expired'],
  [{ state: 'in_doubt', isStranded: true, isServing: false }, 'stranded, expired'],
  [{ state: 'dead', isStranded: true }, 'missing'],
];

test.each(GRANTS)('a connected token with the grant %j has the connection: %s', (grant, connection) => {
  expect(standingOf({ ...BASE, grant })).toMatchObject({ is: 'served', connection });
});

const standings = () => [
  ...CASES.map(({ state, source, oldApi }) => standingOf({ ...BASE, state, source, oldApi })),
  standingOf({ ...BASE, isAppRetired: true }),
];

test('each standing has words of its own, and no words are left over', () => {
  const seen = new Set(standings().map(standingWords));
  const all = Object.values(STANDING_WORDS);
  expect(seen).toEqual(new Set(all));
  for (const part of ['headline', 'meaning'] as const)
    expect(new Set(all.map((words) => words[part])).size).toBe(all.length);
});

test('the caller is told that connecting helps where it does, and of no time that is not known', () => {
  for (const standing of standings()) {
    const reason = callerReason(standing);
    expect(reason).toMatch(/^[A-Z].*\.$/);
    expect(reason).not.toContain('undefined');
    if (standing.is === 'stopped') expect(reason).toContain('authorize the app again');
  }
});

const lifecycle = (changes: Partial<Lifecycle> = {}): Lifecycle => ({
  dates: { retirement: RETIRES, sunset: SUNSET },
  extensions: new Map(),
  exemptions: new Map(),
  brownouts: [],
  ...changes,
});

const brownout = (rehearses: Milestone, clientId?: string) => ({
  id: 'b',
  clientId,
  rehearses,
  startsAt: 0,
  endsAt: OVER,
  text: 'A test.',
});

const statusAt = (now: number, of: Lifecycle, { clientId = 'app', hasBackend = true } = {}) =>
  oldApiStatusOf({ lifecycle: of, clientId, now, hasBackend });

test('the phase of an app changes with the millisecond of its date', () => {
  const phases = [RETIRES - 1, RETIRES, SUNSET - 1, SUNSET].map((now) => statusAt(now, lifecycle()).phase);
  expect(phases).toEqual(['before', 'retired', 'retired', 'ended']);
  const extended = lifecycle({ extensions: new Map([['app', { retirement: RETIRES + 1 }]]) });
  expect(statusAt(RETIRES, extended)).toMatchObject({ phase: 'before', retiresAt: RETIRES + 1 });
  expect(statusAt(RETIRES, extended, { clientId: 'other' }).phase).toBe('retired');
  const overtaken = lifecycle({ dates: { retirement: SUNSET, sunset: RETIRES } });
  expect([RETIRES - 1, RETIRES].map((now) => statusAt(now, overtaken).phase)).toEqual(['before', 'ended']);
});

test('a brownout is met by the apps that it concerns, and changes nothing that there is not', () => {
  const outageIn = (of: Lifecycle, more = {}) => statusAt(1, of, more).outage;
  const ofAll = lifecycle({ brownouts: [brownout('retirement')] });
  expect(outageIn(ofAll)).toEqual(outage('retirement'));
  expect(outageIn(ofAll, { hasBackend: false })).toBeUndefined();
  expect(outageIn({ ...ofAll, exemptions: new Map([['app', 2]]) })).toBeUndefined();
  expect(outageIn(lifecycle({ brownouts: [brownout('retirement', 'other')] }))).toBeUndefined();
  expect(outageIn(lifecycle({ brownouts: [brownout('sunset', 'app')] }), { hasBackend: false })).toEqual(
    outage('sunset'),
  );
  expect(statusAt(OVER, ofAll).outage).toBeUndefined();
  const both = lifecycle({ brownouts: [brownout('retirement'), brownout('sunset')] });
  expect(outageIn(both)).toEqual(outage('sunset'));
});
