import type { FallingForecast, Forecast } from '../../../src/domain/progress/forecast.ts';
import type { AppLifecycle } from '../../../src/domain/lifecycle/old-api-status.ts';
import { forecastSentences } from '../../../src/http/wording/forecast-words.ts';

/** A forecast in sentences, for every outcome and beside every date. */

const NOW = Date.parse('2026-11-22T10:00:00Z');

const lifecycleWith = (
  dates: Partial<Record<'retirement' | 'sunset', string>>,
  hasBackend = true,
): AppLifecycle => ({
  lifecycle: {
    dates: Object.fromEntries(Object.entries(dates).map(([name, day]) => [name, Date.parse(day)])),
    extensions: new Map(),
    exemptions: new Map(),
    brownouts: [],
  },
  clientId: undefined,
  now: NOW,
  hasBackend,
});

const falling = (changes: Partial<FallingForecast> = {}): Forecast => ({
  kind: 'falling',
  asOf: '2026-11-22',
  waiting: 1020,
  fell: 140,
  leftOut: [],
  zeroDay: '2027-03-04',
  earliest: '2027-02-20',
  latest: '2027-03-16',
  slowing: 'ruled_out',
  latestIfSlowing: undefined,
  trend: 'same',
  hasRevoked: false,
  ...changes,
});

const told = (forecast: Forecast, asOf = lifecycleWith({})) => forecastSentences(forecast, asOf).join(' ');

const PACE = 'At the pace of the last two weeks the last token is connected on 4 March 2027';
const RANGE = 'If the pace lasts, it is between 20 February 2027 and 16 March 2027';

test('the date stands with its range, and alone where no date of the old API is set', () => {
  expect(told(falling())).toBe(`${PACE}. ${RANGE}.`);
  expect(told(falling({ hasRevoked: true }))).toContain(
    'the last token is connected or revoked on 4 March 2027.',
  );
  expect(told(falling({ earliest: '2027-03-04', latest: '2027-03-04' }))).toBe(`${PACE}.`);
});

const BESIDE: Array<[retirement: string, says: string]> = [
  ['2027-01-21', `${PACE}, six weeks after the retirement. ${RANGE}.`],
  ['2027-01-22', `${PACE}, about six weeks after the retirement. ${RANGE}.`],
  ['2026-11-01', `${PACE}, about 18 weeks after the retirement. ${RANGE}.`],
  ['2026-03-01', `${PACE}, about twelve months after the retirement. ${RANGE}.`],
  ['2024-03-01', `${PACE}, about three years after the retirement. ${RANGE}.`],
  ['2027-03-03', `${PACE}, one day after the retirement. ${RANGE}, so it may come before the retirement.`],
  ['2027-03-04', `${PACE}, on the day of the retirement. ${RANGE}, so it may come after the retirement.`],
  ['2027-03-14', `${PACE}, ten days before the retirement. ${RANGE}, so it may come after the retirement.`],
  ['2027-03-18T09:00:00Z', `${PACE}, two weeks before the retirement. ${RANGE}.`],
  ['2028-03-04', `${PACE}, about twelve months before the retirement. ${RANGE}.`],
];

test.each(BESIDE)('beside the retirement on %s', (retirement, says) => {
  expect(told(falling(), lifecycleWith({ retirement }))).toBe(says);
});

test('a retirement that changes no call is no date to compare with; the end of the old API is', () => {
  expect(told(falling(), lifecycleWith({ retirement: '2027-01-21' }, false))).toBe(`${PACE}. ${RANGE}.`);
  expect(told(falling(), lifecycleWith({ sunset: '2027-04-01' }, false))).toBe(
    `${PACE}, four weeks before the end of the old API. ${RANGE}.`,
  );
});

test('a date after the end of the old API says that connecting does not help so long', () => {
  const asOf = lifecycleWith({ retirement: '2027-01-21', sunset: '2027-02-18' });
  expect(told(falling(), asOf)).toBe(
    `${PACE}, six weeks after the retirement. But connecting helps only until the old API ends, on 18 February 2027. ${RANGE}.`,
  );
  expect(told(falling(), lifecycleWith({ sunset: '2026-11-20' }))).toBe('');
});

test('a pace that may fall, falls, or rises is told with what follows', () => {
  const latestIfSlowing = '2029-06-01';
  expect(told(falling({ slowing: 'possible', latestIfSlowing }))).toBe(
    `${PACE}. ${RANGE}. If the pace falls as fewer tokens are left, it may take until 1 June 2029.`,
  );
  expect(told(falling({ slowing: 'possible', latestIfSlowing, trend: 'falls' }))).toBe(
    `${PACE}. ${RANGE}. The pace is falling: if that goes on, it may take until 1 June 2029.`,
  );
  expect(told(falling({ slowing: 'possible' }))).toMatch(/as fewer tokens are left, it takes far longer\.$/);
  expect(told(falling({ slowing: 'possible', latestIfSlowing: '2027-03-10' }))).toBe(`${PACE}. ${RANGE}.`);
  expect(told(falling({ slowing: 'seen', trend: 'falls' }))).toMatch(
    /The pace is falling so much that it can be far later, or that some tokens are never connected\.$/,
  );
  expect(told(falling({ trend: 'rises' }))).toMatch(
    /The pace is rising; the earlier of these days counts that in\.$/,
  );
});

test('so few tokens that no latest day can be told', () => {
  const few = falling({ latest: undefined, slowing: 'possible' });
  expect(told(few, lifecycleWith({ retirement: '2027-03-14' }))).toBe(
    `${PACE}, ten days before the retirement. It is 20 February 2027 at the earliest; no latest day can be told, so it may come after the retirement. If the pace falls as fewer tokens are left, it takes far longer.`,
  );
});

const facts = { asOf: '2026-11-22', waiting: 40, leftOut: [] };
const WITHOUT: Array<[name: string, forecast: Forecast, says: string]> = [
  ['nothing was counted', { kind: 'none' }, ''],
  ['none waits', { kind: 'done', asOf: '2026-11-22' }, ''],
  [
    'nobody counts any more',
    { kind: 'count_is_old', asOf: '2026-11-18' },
    'When the last token is connected cannot be told: the tokens were last counted on 18 November 2026.',
  ],
  [
    'too few days are known',
    { kind: 'too_few_days', asOf: '2026-11-22', waiting: 40, from: '2026-12-01', since: undefined },
    'When the last token is connected cannot be told yet: a pace takes two whole weeks of counts. A forecast stands here from 1 December 2026 on.',
  ],
  [
    'a great change is too near',
    {
      kind: 'too_few_days',
      asOf: '2026-11-22',
      waiting: 40,
      from: '2026-12-01',
      since: { day: '2026-11-16', from: '2026-11-16', rose: 5000 },
    },
    'When the last token is connected cannot be told yet: a pace takes two whole weeks after the rise by 5,000 on 16 November 2026. A forecast stands here from 1 December 2026 on.',
  ],
  [
    'the number stays',
    { kind: 'not_falling', fell: 0, ...facts },
    'The number of tokens that are not connected did not fall in the last two weeks, so there is no forecast.',
  ],
  [
    'it falls unevenly',
    { kind: 'not_falling', fell: 3, ...facts },
    'In the last two weeks the number of tokens that are not connected fell by 3, but too unevenly to tell a date.',
  ],
  [
    'it rises',
    { kind: 'rising', fell: -12, ...facts },
    'In the last two weeks the number of tokens that are not connected rose by 12, so there is no forecast.',
  ],
  [
    'it takes too long',
    { kind: 'too_far', fell: 1, ...facts },
    'At the pace of the last two weeks it takes more than ten years until the last token is connected.',
  ],
  [
    'a change is left out',
    {
      kind: 'not_falling',
      fell: 0,
      ...facts,
      leftOut: [{ day: '2026-11-16', from: '2026-11-16', rose: 400 }],
    },
    'The number of tokens that are not connected did not fall in the last two weeks, so there is no forecast. The rise by 400 on 16 November 2026 happened once and is left out of the pace.',
  ],
  [
    'a change between two counts is left out',
    {
      kind: 'not_falling',
      fell: 0,
      ...facts,
      leftOut: [{ day: '2026-11-16', from: '2026-11-12', rose: 400 }],
    },
    'The number of tokens that are not connected did not fall in the last two weeks, so there is no forecast. The rise by 400 between 12 November 2026 and 16 November 2026 happened once and is left out of the pace.',
  ],
];

test.each(WITHOUT)('without a date, where %s', (_, forecast, says) => {
  expect(told(forecast)).toBe(says);
});
