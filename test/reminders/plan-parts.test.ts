import { type Case, DATES, holder, ms, owner, stages, used } from './support/plan-case.ts';

/** The plan of the reminders for owners, for dates in another order, and for what nothing is known of. */

const FIRST_MORNING = '2027-01-02T09:00:00Z';
const LAST_WEEK = '2027-01-26T10:00:00Z';
const ON_THE_DAY = '2027-02-01T09:00:00Z';

/** What was used in time for all of the tests that name it. */
const RECENT = { lastUsedAt: used('2027-02-01'), waitingUsedAt: used('2027-02-01') };
const BOTH = { tokens: { waiting: 3, active: 4 } };
const EXTENDED = {
  dates: { retirement: '2027-02-01', sunset: '2027-03-01' },
  extended: { retirement: '2027-06-01' },
};
/** Nothing is known of any use, and nothing was known at all before these days. */
const knownFor = (now: string, days: number) => ({
  lastUsedAt: undefined,
  waitingUsedAt: undefined,
  knownSince: ms(now) - days * 86_400_000,
});
const EARLY = { now: '2026-11-10T10:00:00Z', dates: { retirement: '2027-01-01' }, days: [60, 30] };

const cases: Array<[string, Case, string[]]> = [
  [
    'a sunset before a longer retirement is the only date, for both',
    {
      ...EXTENDED,
      parts: [holder({ lastUsedAt: used('2027-02-01') }), owner({ ...RECENT, ...BOTH })],
      now: '2027-02-15T09:00:00Z',
    },
    ['holder 14 sunset:2027-03-01', 'owner 14 sunset:2027-03-01'],
  ],
  [
    'also when that retirement comes',
    {
      ...EXTENDED,
      parts: [holder({ lastUsedAt: used('2027-05-30') }), owner(BOTH)],
      now: '2027-06-01T09:00:00Z',
    },
    [],
  ],
  [
    'and where the dates are the wrong way round',
    {
      dates: { retirement: '2027-06-01', sunset: '2027-02-01' },
      parts: [holder(), owner()],
      now: LAST_WEEK,
    },
    ['holder 7 sunset:2027-02-01', 'owner 7 sunset:2027-02-01'],
  ],
  [
    'a come sunset leaves nothing of the retirement',
    {
      dates: { retirement: '2027-01-31', sunset: '2027-02-01' },
      parts: [holder(), owner()],
      now: ON_THE_DAY,
    },
    ['holder 0 sunset:2027-02-01', 'owner 0 sunset:2027-02-01'],
  ],
  [
    'a come sunset leaves nothing of what a connection would mend',
    {
      dates: { retirement: '2027-01-01', sunset: '2027-01-31' },
      parts: [holder({ diedAt: ms(ON_THE_DAY), wokenAt: ms(ON_THE_DAY) })],
      now: ON_THE_DAY,
    },
    ['holder 0 sunset:2027-01-31'],
  ],
  [
    'except where the app was given more time',
    {
      dates: { sunset: '2027-01-31' },
      extended: { sunset: '2027-05-01' },
      parts: [holder({ diedAt: 5, wokenAt: ms(ON_THE_DAY) })],
      now: ON_THE_DAY,
    },
    ['holder died 5', `holder woken ${ms(ON_THE_DAY)}`],
  ],
  [
    'what came yesterday is not unused',
    { parts: [holder(knownFor(EARLY.now, 1)), owner(knownFor(EARLY.now, 1))], ...EARLY },
    [],
  ],
  [
    'what has been here for thirty days is',
    { parts: [holder(knownFor(EARLY.now, 30)), owner(knownFor(EARLY.now, 30))], ...EARLY },
    ['holder unused', 'owner unused'],
  ],
  [
    'a use that is known to be old of every token needs no waiting',
    {
      parts: [holder({ lastUsedAt: used('2026-01-01') })],
      ...EARLY,
    },
    ['holder unused'],
  ],
  [
    'a token of which no use is known does, whatever is known of the others',
    {
      parts: [holder({ ...knownFor(EARLY.now, 1), lastUsedAt: used('2026-01-01') })],
      ...EARLY,
    },
    [],
  ],
  [
    'in the last month it may be in use',
    { parts: [holder(knownFor(LAST_WEEK, 29.9)), owner(knownFor(LAST_WEEK, 29.9))], now: LAST_WEEK },
    ['holder 7 retirement:2027-02-01', 'owner 7 retirement:2027-02-01'],
  ],
  [
    'from nine in the morning on',
    { parts: [holder(knownFor(FIRST_MORNING, 2))], now: FIRST_MORNING },
    ['holder 30 retirement:2027-02-01'],
  ],
  ['and not before', { parts: [holder(knownFor(FIRST_MORNING, 2))], now: '2027-01-02T08:59:59Z' }, []],
  [
    'until seven days after the date',
    { parts: [holder(knownFor(ON_THE_DAY, 1))], now: '2027-02-08T11:59:59Z' },
    ['holder 0 retirement:2027-02-01'],
  ],
  [
    'an owner hears of the retirement and of the sunset',
    { parts: [owner()], now: LAST_WEEK, dates: { ...DATES, sunset: '2027-02-03' } },
    ['owner 7 retirement:2027-02-01', 'owner 14 sunset:2027-02-03'],
  ],
  [
    'of the retirement while tokens wait',
    {
      parts: [owner({ tokens: { waiting: 0, active: 1 }, waitingUsedAt: undefined })],
      now: LAST_WEEK,
      dates: { ...DATES, sunset: '2027-02-03' },
    },
    ['owner 14 sunset:2027-02-03'],
  ],
  [
    'of the sunset while any works or waits',
    {
      parts: [owner({ tokens: { waiting: 0, active: 0 } })],
      now: LAST_WEEK,
      dates: { ...DATES, sunset: '2027-02-03' },
    },
    [],
  ],
  [
    'of what waits unused nothing while the rest is used',
    {
      parts: [owner({ waitingUsedAt: undefined })],
      now: LAST_WEEK,
      dates: { ...DATES, sunset: '2027-02-03' },
    },
    ['owner 14 sunset:2027-02-03'],
  ],
  [
    'of all that is unused once',
    { parts: [owner({ lastUsedAt: used('2026-12-01'), waitingUsedAt: undefined })], now: LAST_WEEK },
    ['owner unused'],
  ],
  [
    'of the retirement too where connected tokens call what it ends',
    {
      parts: [
        owner({ tokens: { waiting: 0, active: 1 }, waitingUsedAt: undefined, passedAt: used('2027-01-20') }),
      ],
      now: LAST_WEEK,
    },
    ['owner 7 retirement:2027-02-01'],
  ],
  [
    'not where they did long ago',
    {
      parts: [
        owner({ tokens: { waiting: 0, active: 1 }, waitingUsedAt: undefined, passedAt: used('2026-12-20') }),
      ],
      now: LAST_WEEK,
    },
    [],
  ],
  [
    'of nothing used at all once, not twice',
    {
      parts: [owner({ waitingUsedAt: undefined, lastUsedAt: undefined })],
      now: LAST_WEEK,
      dates: { ...DATES, sunset: '2027-02-03' },
    },
    ['owner unused'],
  ],
  [
    'and not of an app that nobody uses',
    {
      parts: [owner({ tokens: { waiting: 0, active: 9 }, lastUsedAt: undefined, waitingUsedAt: undefined })],
      now: '2027-07-30T10:00:00Z',
    },
    [],
  ],
  [
    "an owner's sunset is none of the holder's",
    { parts: [owner(), holder()], now: ON_THE_DAY, told: ['owner 0 retirement:2027-02-01'] },
    ['holder 0 retirement:2027-02-01'],
  ],
];

test.each(cases)('%s', (_, given, expected) => {
  expect(stages(given)).toEqual(expected);
});
