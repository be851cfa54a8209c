import fc from 'fast-check';
import { dayIn, dueWords, secondsOf } from '../../src/domain/translation/old-times.ts';

const at = (iso: string) => Date.parse(iso);
const words = (due: string, zone: string, now = '2000-01-01T00:00:00Z') =>
  Object.values(dueWords(at(due) / 1000, { zone, now: at(now) }) ?? {});

test.each([
  // Recorded answers of the old API, of 2013 and 2016.
  ['2013-05-16T10:13:00Z', 'America/New_York', '2013-05-16T04:48:14Z', 'Today', '6:13 am'],
  ['2016-03-02T02:08:00Z', 'America/Asuncion', '2016-03-01T17:42:29Z', 'Today', '11:08 pm'],
  ['2016-03-02T13:15:00Z', 'America/Asuncion', '2016-03-01T17:42:29Z', 'Tomorrow', '10:15 am'],
  ['2016-03-02T18:06:00Z', 'America/Asuncion', '2016-03-01T17:42:29Z', 'Tomorrow', '3:06 pm'],
  ['2016-03-03T18:06:00Z', 'America/Asuncion', '2016-03-01T17:42:29Z', 'Thursday 3rd March', '3:06 pm'],
  ['2016-03-04T13:15:00Z', 'America/Asuncion', '2016-03-01T17:42:29Z', 'Friday 4th March', '10:15 am'],
])('%s in %s is told as recorded', (due, zone, now, day, time) => {
  expect(words(due, zone, now)).toEqual([day, time]);
});

test.each([
  ['before the spring change', '2026-03-29T00:59:00Z', 'Europe/London', 'Sunday 29th March', '12:59 am'],
  ['after the spring change', '2026-03-29T01:00:00Z', 'Europe/London', 'Sunday 29th March', '2:00 am'],
  [
    'in the first of two equal hours',
    '2026-10-25T00:30:00Z',
    'Europe/London',
    'Sunday 25th October',
    '1:30 am',
  ],
  [
    'in the second of two equal hours',
    '2026-10-25T01:30:00Z',
    'Europe/London',
    'Sunday 25th October',
    '1:30 am',
  ],
  ['at noon', '2026-11-01T12:00:00Z', 'UTC', 'Sunday 1st November', '12:00 pm'],
  ['at midnight', '2026-11-02T00:00:00Z', 'UTC', 'Monday 2nd November', '12:00 am'],
  ['on a 22nd', '2026-11-22T00:00:00Z', 'UTC', 'Sunday 22nd November', '12:00 am'],
  ['on an 11th', '2026-11-11T00:00:00Z', 'UTC', 'Wednesday 11th November', '12:00 am'],
  [
    'three quarters of an hour off',
    '2026-11-11T12:00:00Z',
    'Asia/Kathmandu',
    'Wednesday 11th November',
    '5:45 pm',
  ],
  ['where a day was left out', '2011-12-30T12:00:00Z', 'Pacific/Apia', 'Saturday 31st December', '2:00 am'],
])('%s', (_when, due, zone, day, time) => {
  expect(words(due, zone)).toEqual([day, time]);
});

test('a day of 23 or 25 hours still has a tomorrow', () => {
  expect(words('2026-03-29T22:30:00Z', 'Europe/London', '2026-03-28T23:30:00Z')[0]).toBe('Tomorrow');
  expect(words('2026-10-26T23:30:00Z', 'Europe/London', '2026-10-25T00:30:00Z')[0]).toBe('Tomorrow');
});

test('a zone that nobody knows has no words', () => {
  expect(dueWords(0, { zone: 'Nowhere/At_All', now: 0 })).toBeUndefined();
});

const [YEAR_2000, YEAR_2100] = [946_684_800, 4_102_444_800];

/** What the platform says of a moment, in its own words. */
function platformWords(seconds: number, timeZone: string) {
  const format = (options: Intl.DateTimeFormatOptions) =>
    Object.fromEntries(
      new Intl.DateTimeFormat('en-US', { timeZone, ...options })
        .formatToParts(seconds * 1000)
        .map(({ type, value }) => [type, value]),
    );
  const date = format({ weekday: 'long', day: 'numeric', month: 'long' });
  const time = format({ hour: 'numeric', minute: '2-digit', hour12: true });
  return { date, time: `${time['hour']}:${time['minute']} ${time['dayPeriod']?.toLowerCase()}` };
}

test('in every zone and at every moment the words are those of the platform', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const moment = fc.integer({ min: YEAR_2000, max: YEAR_2100 });
  fc.assert(
    fc.property(fc.constantFrom(...zones), moment, (zone, due) => {
      const told = dueWords(due, { zone, now: 0 });
      const { date, time } = platformWords(due, zone);
      expect(told?.due_time).toBe(time);
      const [weekday, day, month] = told?.day.split(' ') ?? [];
      expect([weekday, month]).toEqual([date['weekday'], date['month']]);
      expect(day).toMatch(new RegExp(`^${date['day']}(st|nd|rd|th)$`));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['2016-03-01T12:29:53.999Z', 1_456_835_393],
  ['2016-03-01T12:29:53Z', 1_456_835_393],
  ['no time', undefined],
  ['', undefined],
  [null, undefined],
  [undefined, undefined],
])('%s is %s in whole seconds', (iso, seconds) => {
  expect(secondsOf(iso)).toBe(seconds);
});

/** Days of twenty-three and twenty-five hours, days that begin at one o'clock, and a day that a country left out. */
const MOMENTS: Array<[zone: string, at: string]> = [
  ['UTC', '2026-03-01T12:00:00Z'],
  ['Europe/Berlin', '2026-03-28T23:30:00Z'],
  ['Europe/Berlin', '2026-10-24T23:30:00Z'],
  ['Africa/Cairo', '2026-04-23T21:59:40Z'],
  ['Africa/Cairo', '2026-04-24T10:00:00Z'],
  ['America/Santiago', '2026-09-06T12:00:00Z'],
  ['America/Havana', '2026-03-08T12:00:00Z'],
  ['Asia/Kolkata', '2026-03-01T18:29:59Z'],
  ['Pacific/Apia', '2011-12-30T09:00:00Z'],
];

test.each(MOMENTS)(
  'in %s at %s the words for days stay the same until the day ends, and no longer',
  (zone, moment) => {
    const now = at(moment);
    const { begins, ends } = dayIn(zone, now);
    const todayAt = (then: number) => dueWords(now / 1000, { zone, now: then })?.day;
    expect(begins).toBeLessThanOrEqual(now);
    expect([todayAt(begins), todayAt(now), todayAt(ends - 1)]).toEqual(['Today', 'Today', 'Today']);
    expect([todayAt(begins - 1), todayAt(ends)]).not.toContain('Today');
  },
);

test('an unknown time zone has no words for days, and no end of a day', () => {
  expect(dayIn('Nowhere/Town', Date.now())).toEqual({ begins: 0, ends: Number.MAX_SAFE_INTEGER });
});
