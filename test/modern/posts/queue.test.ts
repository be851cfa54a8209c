import type { DayOfWeek, ScheduleRecord } from '../../../src/modern/main-api/directory.ts';
import { nextFreeTimes } from '../../../src/modern/main-api/posts/queue.ts';

const days: DayOfWeek[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

const daily = (times: string[], paused: DayOfWeek[] = []): ScheduleRecord[] =>
  days.map((day) => ({ day, times, paused: paused.includes(day) }));

interface Case {
  schedule: ScheduleRecord[];
  zone: string;
  after: string;
  taken?: string[];
}

function next(count: number, { schedule, zone, after, taken = [] }: Case): string[] {
  const busy = taken.map((time) => Date.parse(time));
  const times = nextFreeTimes(schedule, zone, { after: Date.parse(after), taken: busy });
  return [...take(times, count)].map((time) => new Date(time).toISOString().replace(':00.000Z', 'Z'));
}

function* take(times: Generator<number, void>, count: number) {
  for (const time of times) {
    yield time;
    count -= 1;
    if (count === 0) return;
  }
}

test('times come in order, in the zone of the channel, later than now', () => {
  const found = next(3, {
    schedule: daily(['17:45', '08:30']),
    zone: 'Europe/Berlin',
    after: '2026-01-12T07:30:00.000Z',
  });
  expect(found).toEqual(['2026-01-12T16:45Z', '2026-01-13T07:30Z', '2026-01-13T16:45Z']);
});

test('the day is the one of the zone, not of UTC', () => {
  const schedule: ScheduleRecord[] = [{ day: 'mon', times: ['00:15'], paused: false }];
  const after = '2026-01-11T12:00:00.000Z';
  expect(next(1, { schedule, zone: 'Pacific/Kiritimati', after })).toEqual(['2026-01-18T10:15Z']);
  expect(next(1, { schedule, zone: 'Pacific/Pago_Pago', after })).toEqual(['2026-01-12T11:15Z']);
});

test('paused days and taken minutes are passed over', () => {
  const found = next(2, {
    schedule: daily(['10:00', '10:05'], ['tue']),
    zone: 'UTC',
    after: '2026-01-12T09:00:00.000Z',
    taken: ['2026-01-12T10:00:42.000Z', '2026-01-14T10:05:00.000Z'],
  });
  expect(found).toEqual(['2026-01-12T10:05Z', '2026-01-14T10:00Z']);
});

test.each([
  ['no rows', []],
  ['no times', daily([])],
  ['only paused days', daily(['10:00'], days)],
])('a schedule with %s has none', (_what, schedule) => {
  expect(next(1, { schedule, zone: 'UTC', after: '2026-01-12T09:00:00.000Z' })).toEqual([]);
});

test('the times end two years ahead', () => {
  const schedule: ScheduleRecord[] = [{ day: 'mon', times: ['10:00'], paused: false }];
  const found = next(1000, { schedule, zone: 'UTC', after: '2026-01-12T10:00:00.000Z' });
  expect([found.length, found.at(-1)]).toEqual([104, '2028-01-10T10:00Z']);
});

describe('when clocks change', () => {
  test.each([
    // The hour 01:00 to 02:00 is skipped on 29 March 2026: 01:30 is passed by an hour.
    [
      'Europe/London',
      '01:30',
      '2026-03-27T12:00Z',
      ['2026-03-28T01:30Z', '2026-03-29T01:30Z', '2026-03-30T00:30Z'],
    ],
    // It comes twice on 25 October 2026: the first one counts.
    [
      'Europe/London',
      '01:30',
      '2026-10-23T12:00Z',
      ['2026-10-24T00:30Z', '2026-10-25T00:30Z', '2026-10-26T01:30Z'],
    ],
    [
      'America/New_York',
      '02:30',
      '2026-03-06T12:00Z',
      ['2026-03-07T07:30Z', '2026-03-08T07:30Z', '2026-03-09T06:30Z'],
    ],
    [
      'America/New_York',
      '01:30',
      '2026-10-30T12:00Z',
      ['2026-10-31T05:30Z', '2026-11-01T05:30Z', '2026-11-02T06:30Z'],
    ],
    // Half an hour: from 02:00 to 02:30 on 4 October 2026, and twice from 01:30 to 02:00 on 5 April.
    [
      'Australia/Lord_Howe',
      '02:15',
      '2026-10-02T12:00Z',
      ['2026-10-02T15:45Z', '2026-10-03T15:45Z', '2026-10-04T15:15Z'],
    ],
    [
      'Australia/Lord_Howe',
      '01:45',
      '2026-04-03T12:00Z',
      ['2026-04-03T14:45Z', '2026-04-04T14:45Z', '2026-04-05T15:15Z'],
    ],
  ])('%s at %s has one time a day', (zone, time, after, expected) => {
    expect(next(3, { schedule: daily([time]), zone, after })).toEqual(expected);
  });

  test('a skipped time and the one it falls on are one time', () => {
    const found = next(3, {
      schedule: daily(['01:30', '02:30']),
      zone: 'Europe/London',
      after: '2026-03-28T12:00Z',
    });
    expect(found).toEqual(['2026-03-29T01:30Z', '2026-03-30T00:30Z', '2026-03-30T01:30Z']);
  });

  test('between the two rounds of a repeated hour the second round is not used', () => {
    const found = next(1, { schedule: daily(['01:30']), zone: 'Europe/London', after: '2026-10-25T00:45Z' });
    expect(found).toEqual(['2026-10-26T01:30Z']);
  });
});
