import type { HolderPart } from '../../src/domain/reminders/people.ts';
import { localDay, nextMorning } from '../../src/domain/reminders/local-days.ts';
import { isTimeToMail } from '../../src/domain/reminders/plan-stages.ts';
import {
  type Case,
  RETIREMENT,
  DATES,
  ms,
  used,
  holder,
  dueAt,
  stages,
  personOf,
} from './support/plan-case.ts';

/** The plan of the reminders, rule by rule; times are of UTC where no zone is named. */

const FIRST = { now: '2027-01-02T09:00:00Z', parts: [holder({ lastUsedAt: used('2027-01-01') })] };
const LAST_WEEK = '2027-01-26T10:00:00Z';
/** Nineteen days after the retirement. */
const LONG_PAST = { now: '2027-02-20T12:00:00Z', parts: [holder({ lastUsedAt: used('2027-02-19') })] };
const ON_THE_DAY = '2027-02-01T09:00:00Z';

const cases: Array<[string, Case, string[]]> = [
  ['a minute before nine nothing has come', { ...FIRST, now: '2027-01-02T08:59:59.999Z' }, []],
  ['at nine of the thirtieth day before it the first stage has', FIRST, ['holder 30 retirement:2027-02-01']],
  [
    'it is due until the next one comes',
    { ...FIRST, now: '2027-01-18T08:59:59Z' },
    ['holder 30 retirement:2027-02-01'],
  ],
  ['then the next alone', { ...FIRST, now: '2027-01-18T09:00:00Z' }, ['holder 14 retirement:2027-02-01']],
  ['nine is that of the zone', { ...FIRST, zone: 'America/New_York' }, []],
  [
    'also where the day is another one',
    { ...FIRST, zone: 'Pacific/Kiritimati', now: '2027-01-02T19:00:00Z' },
    ['holder 30 retirement:2027-02-01'],
  ],
  ['and not before', { ...FIRST, zone: 'Pacific/Kiritimati', now: '2027-01-02T18:59:59Z' }, []],
  ['an unknown zone is UTC', { ...FIRST, zone: 'Mars/Olympus' }, ['holder 30 retirement:2027-02-01']],
  ['what was told is not due', { ...FIRST, told: ['holder 30 retirement:2027-02-01'] }, []],
  ['nor when a later stage was', { ...FIRST, told: ['holder 7 retirement:2027-02-01'] }, []],
  [
    'an earlier one does not count',
    { parts: [holder()], now: LAST_WEEK, told: ['holder 14 retirement:2027-02-01'] },
    ['holder 7 retirement:2027-02-01'],
  ],
  [
    'nor what was told of another day',
    { ...FIRST, told: ['holder 30 retirement:2027-02-02', 'owner 30 retirement:2027-02-01'] },
    ['holder 30 retirement:2027-02-01'],
  ],
  [
    'a date that moves plans anew',
    {
      parts: [holder()],
      now: LAST_WEEK,
      dates: { retirement: '2027-02-08' },
      told: ['holder 7 retirement:2027-02-01'],
    },
    ['holder 14 retirement:2027-02-08'],
  ],
  [
    'one that moves within its day does not',
    {
      parts: [holder()],
      now: LAST_WEEK,
      dates: { retirement: '2027-02-01T23:59:59Z' },
      told: ['holder 7 retirement:2027-02-01'],
    },
    [],
  ],
  [
    'an extension is the date of its app',
    { parts: [holder()], now: LAST_WEEK, extended: { retirement: '2027-02-20' } },
    ['holder 30 retirement:2027-02-20'],
  ],
  [
    'the last stage comes on the day itself',
    { parts: [holder()], now: '2027-02-01T09:00:00Z' },
    ['holder 0 retirement:2027-02-01'],
  ],
  [
    'and after the date the sunset counts too',
    { parts: [holder()], now: '2027-02-01T13:00:00Z', dates: { ...DATES, sunset: '2027-02-10' } },
    ['holder 0 retirement:2027-02-01', 'holder 14 sunset:2027-02-10'],
  ],
  [
    'seven days late it is due',
    { parts: [holder()], now: '2027-02-08T12:00:00Z' },
    ['holder 0 retirement:2027-02-01'],
  ],
  ['no later', { parts: [holder()], now: '2027-02-08T12:00:00.001Z' }, []],
  [
    'a week after the end of an extension too, which came later',
    { ...LONG_PAST, changed: { ofApp: { retirement: '2027-02-13T12:00:00Z' } } },
    ['holder 0 retirement:2027-02-01'],
  ],
  ['of that date alone', { ...LONG_PAST, changed: { ofApp: { sunset: '2027-02-13T12:00:00Z' } } }, []],
  [
    'or after the date was set as past',
    { ...LONG_PAST, changed: { ofAll: { retirement: '2027-02-13T12:00:00Z' } } },
    ['holder 0 retirement:2027-02-01'],
  ],
  ['and no later', { ...LONG_PAST, changed: { ofAll: { retirement: '2027-02-13T11:59:59Z' } } }, []],
  [
    'once',
    {
      ...LONG_PAST,
      changed: { ofApp: { retirement: '2027-02-13T12:00:00Z' } },
      told: ['holder 0 retirement:2027-02-01'],
    },
    [],
  ],
  [
    'then it is the sunset',
    { parts: [holder({ lastUsedAt: used('2027-07-01') })], now: '2027-07-02T09:00:00Z' },
    ['holder 30 sunset:2027-08-01'],
  ],
  [
    'which is not planned for before',
    { parts: [holder()], now: LAST_WEEK, dates: { ...DATES, sunset: '2027-02-02' } },
    ['holder 7 retirement:2027-02-01'],
  ],
  [
    'or counts where no retirement is planned',
    { ...FIRST, dates: { sunset: '2027-02-01' } },
    ['holder 30 sunset:2027-02-01'],
  ],
  ['no date, no stage', { ...FIRST, dates: {} }, []],
  [
    'a holder for whom nothing waits is done',
    { parts: [holder({ waiting: 0, diedAt: ms(ON_THE_DAY) })], now: ON_THE_DAY },
    [],
  ],
  [
    'what was used thirty days ago is reminded in full',
    { parts: [holder({ lastUsedAt: ms(LAST_WEEK) - 30 * 86_400_000 })], now: LAST_WEEK },
    ['holder 7 retirement:2027-02-01'],
  ],
  [
    'what was not is told of once',
    { parts: [holder({ lastUsedAt: ms(LAST_WEEK) - 30 * 86_400_000 - 1 })], now: LAST_WEEK },
    ['holder unused'],
  ],
  [
    'while not all calls of a month are counted, nothing is called unused',
    { parts: [holder({ lastUsedAt: used('2026-11-01') })], now: LAST_WEEK, isCounted: false },
    ['holder 7 retirement:2027-02-01'],
  ],
  [
    'and what was used long ago waits for its last month, as what was never used',
    {
      parts: [holder({ lastUsedAt: used('2026-11-01') })],
      now: '2026-12-20T09:00:00Z',
      isCounted: false,
      days: [60, 30],
    },
    [],
  ],
  [
    'also what was never used',
    { parts: [holder({ lastUsedAt: undefined })], now: LAST_WEEK },
    ['holder unused'],
  ],
  [
    'once the first stage has come',
    { parts: [holder({ lastUsedAt: undefined })], now: '2027-01-02T08:59:59Z' },
    [],
  ],
  [
    'once for ever',
    {
      parts: [holder({ lastUsedAt: undefined })],
      now: LAST_WEEK,
      told: ['holder unused'],
      dates: { retirement: '2027-02-03' },
    },
    [],
  ],
  [
    'and after the date no more',
    { parts: [holder({ lastUsedAt: undefined })], now: '2027-02-20', dates: { retirement: RETIREMENT } },
    [],
  ],
  [
    'used again, it is reminded in full',
    { parts: [holder()], now: LAST_WEEK, told: ['holder unused'] },
    ['holder 7 retirement:2027-02-01'],
  ],
  [
    'a death needs no date',
    { parts: [holder({ diedAt: 1_800_000_000_000 })], now: LAST_WEEK, dates: {} },
    ['holder died 1800000000000'],
  ],
  [
    'and comes with the stage',
    { parts: [holder({ diedAt: 5 })], now: LAST_WEEK },
    ['holder died 5', 'holder 7 retirement:2027-02-01'],
  ],
  [
    'another death is told of too',
    { parts: [holder({ diedAt: 6 })], now: LAST_WEEK, dates: {}, told: ['holder died 5'] },
    ['holder died 6'],
  ],
  [
    'but not the same',
    { parts: [holder({ diedAt: 5 })], now: LAST_WEEK, dates: {}, told: ['holder died 5'] },
    [],
  ],
  [
    'the death of what nobody uses is no news',
    { parts: [holder({ diedAt: 5, lastUsedAt: used('2026-12-01') })], now: LAST_WEEK, dates: {} },
    [],
  ],
  [
    'a first use after a silence is',
    { parts: [holder({ wokenAt: ms('2027-01-26') })], now: LAST_WEEK, dates: {} },
    [`holder woken ${ms('2027-01-26')}`],
  ],
  ['for a month', { parts: [holder({ wokenAt: ms('2026-12-26') })], now: LAST_WEEK, dates: {} }, []],
  [
    'and while it waits',
    { parts: [holder({ wokenAt: ms('2027-01-26'), waiting: 0 })], now: LAST_WEEK, dates: {} },
    [],
  ],
];

test.each(cases)('%s', (_, given, expected) => {
  expect(stages(given)).toEqual(expected);
});

test('what is due names its date and its part; what happened needs none', () => {
  const part = holder({ diedAt: ms(LAST_WEEK) });
  const [died, stage] = dueAt({ parts: [part], now: LAST_WEEK });
  expect(died).toMatchObject({ part, milestone: undefined, at: undefined, isUrgent: true });
  expect(stage).toMatchObject({ part, milestone: 'retirement', at: ms(RETIREMENT), isUrgent: false });
  expect([died?.because, stage?.because]).toEqual([
    'its connection ended on 2027-01-26',
    'stage 7 of the retirement on 2027-02-01',
  ]);
});

const at = (now: string, changes: Partial<HolderPart> = {}, zone = 'UTC') => {
  const given = { parts: [holder(changes)], now, zone };
  return isTimeToMail(personOf(given), dueAt(given), { now: ms(now) });
};

describe('a mail', () => {
  test('waits for nine in the morning', () => {
    expect([at('2027-01-27T08:59:59Z'), at('2027-01-27T09:00:00Z'), at('2027-01-27T23:59:59Z')]).toEqual([
      false,
      true,
      true,
    ]);
    expect([
      at('2027-01-27T13:59:59Z', {}, 'America/New_York'),
      at('2027-01-27T14:00:00Z', {}, 'America/New_York'),
    ]).toEqual([false, true]);
  });

  test('does not wait with what happened on the same day of the person', () => {
    expect(at('2027-01-27T02:00:00Z', { diedAt: ms('2027-01-27T01:00:00Z') })).toBe(true);
    expect(at('2027-01-27T02:00:00Z', { diedAt: ms('2027-01-26T23:00:00Z') })).toBe(false);
    expect(at('2027-01-27T02:00:00Z', { diedAt: ms('2027-01-26T23:00:00Z') }, 'Europe/Berlin')).toBe(true);
    expect(at('2027-01-27T02:00:00Z', { wokenAt: ms('2027-01-27T01:59:00Z') })).toBe(true);
  });
});

test('a local day is that of the zone, summer time included', () => {
  const moment = ms('2027-03-28T22:30:00Z');
  expect(
    ['UTC', 'Europe/Berlin', 'Pacific/Pago_Pago', 'nowhere'].map((zone) => localDay(moment, zone)),
  ).toEqual(['2027-03-28', '2027-03-29', '2027-03-28', '2027-03-28']);
  expect(localDay(ms('2027-01-28T22:30:00Z'), 'Europe/Berlin')).toBe('2027-01-28');
});

const next = (now: string, zone = 'Europe/Berlin') => new Date(nextMorning(ms(now), zone)).toJSON();

test('the next morning is that of the zone, over a change of the clocks too', () => {
  expect(next('2027-01-27T01:30:00Z')).toBe('2027-01-27T08:00:00.000Z');
  expect(next('2027-01-27T07:59:59.999Z')).toBe('2027-01-27T08:00:00.000Z');
  expect(next('2027-01-27T08:00:00Z')).toBe('2027-01-28T08:00:00.000Z');
  expect(next('2027-03-27T23:30:00Z')).toBe('2027-03-28T07:00:00.000Z');
  expect(next('2027-10-30T22:30:00Z')).toBe('2027-10-31T08:00:00.000Z');
  expect(next('2027-01-27T01:30:00Z', 'Pacific/Kiritimati')).toBe('2027-01-27T19:00:00.000Z');
  expect(next('2027-01-27T01:30:00Z', 'nowhere')).toBe('2027-01-27T09:00:00.000Z');
});
