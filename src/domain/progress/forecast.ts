import { DAY } from '../../shared/lifetimes.ts';
import { dayOf } from '../../shared/moments.ts';
import { type DailyFall, dailyFalls, FORECAST_DAYS, markEvents, PACE_DAYS } from './daily-falls.ts';
import { daysAhead, FAR_OUT, type SlowdownEvidence, trendOf } from './forecast-range.ts';
import { type TokenPace, paceOf, WEEK } from './pace.ts';
import { type ProgressDay, sinceCounted } from './progress-of.ts';

/**
 * When the last waiting token is connected, at the pace of the last two weeks: pure functions of the numbers of each day
 * (docs/dates-and-reminders.md#the-forecast).
 */

/** A change that happened once and is no part of the pace. */
export interface LeftOutChange {
  /** The day of the count that showed it. */
  day: string;
  /** The first day on which it may have happened: `day` itself, or earlier where nobody counted before that. */
  from: string;
  /** How many more tokens waited than at the count before; negative where fewer waited. */
  rose: number;
}

interface PaceFacts {
  /** The day of the last count. */
  asOf: string;
  waiting: number;
  /** By how many the waiting tokens fell in the last two weeks; negative where they rose. */
  fell: number;
  leftOut: LeftOutChange[];
}

/** A fall with a date. Days are `YYYY-MM-DD`, UTC. */
export interface FallingForecast extends PaceFacts {
  kind: 'falling';
  zeroDay: string;
  earliest: string;
  /** The end of the range where the pace lasts; undefined where no latest day can be told. */
  latest: string | undefined;
  slowing: SlowdownEvidence;
  /** The end of the range where the pace falls as fewer tokens are left; undefined where no day can be told. */
  latestIfSlowing: string | undefined;
  /** Whether the later half of the known weeks fell by more or fewer tokens than the earlier half. */
  trend: 'rises' | 'same' | 'falls';
  /** Whether some of the tokens that no longer wait were revoked, not connected. */
  hasRevoked: boolean;
}

export type Forecast =
  /** No token was ever counted. */
  | { kind: 'none' }
  /** No token waited at the last count. */
  | { kind: 'done'; asOf: string }
  /** Nobody counted since the day before yesterday. */
  | { kind: 'count_is_old'; asOf: string }
  /**
   * Less than two weeks are known, or have passed since a great change; `from` is the day on which two weeks will be
   * known.
   */
  | { kind: 'too_few_days'; asOf: string; waiting: number; from: string; since: LeftOutChange | undefined }
  | ({ kind: 'not_falling' | 'rising' | 'too_far' } & PaceFacts)
  | FallingForecast;

/** Nobody plans for later days, and no pace lasts so long. */
const DAYS_MAX = 3650;

const dayAfter = (day: string, days: number) => dayOf(Date.parse(day) + days * DAY);

/**
 * The place of the last change at once that more than doubled or halved the waiting tokens, such as the first import of
 * an app; -1 where there is none. The days up to it tell nothing of the pace after it.
 */
function lastGreatChange(falls: readonly DailyFall[], levelAfter: (index: number) => number): number {
  return falls.findLastIndex(
    (fall, index) =>
      fall.isLeftOut &&
      isAtCount(fall) &&
      Math.max(-2 * wholeFall(fall), wholeFall(fall)) > levelAfter(index),
  );
}

/** Whether a day is the one whose count showed the change over it and the days before. */
const isAtCount = ({ day, between }: DailyFall) => day === between.until;

/** The change between two counts, which is spread over the days between them. */
const wholeFall = ({ fell, between: { from, until } }: DailyFall) =>
  fell * (Math.round((Date.parse(until) - Date.parse(from)) / DAY) + 1);

const changeOf = (fall: DailyFall): LeftOutChange => ({
  day: fall.between.until,
  from: fall.between.from,
  rose: -wholeFall(fall),
});

/** How many days from today on it takes, by the expected falls of the weekdays; undefined for too many days. */
function daysUntilNone({ week }: TokenPace, waiting: number, fellToday: number): number | undefined {
  let left = waiting;
  for (let days = 0; days <= DAYS_MAX; days++) {
    const expected = week[days % WEEK] ?? 0;
    left -= days === 0 ? Math.max(0, expected - Math.max(0, fellToday)) : expected;
    // Sums of fractions are a little off.
    if (left < 1e-6) return days;
  }
  return undefined;
}

const changesLeftOut = (falls: readonly DailyFall[], since: string): LeftOutChange[] =>
  falls.filter((fall) => fall.isLeftOut && isAtCount(fall) && fall.day >= since).map(changeOf);

/** The day so many days ahead, but no day before `first`. */
function lateDay(today: string, days: number | undefined, first: number): string | undefined {
  return days === undefined ? undefined : dayAfter(today, Math.max(first, Math.ceil(days)));
}

function withDate(
  pace: TokenPace,
  facts: PaceFacts,
  { fellToday, today }: { fellToday: number; today: string },
) {
  const days = daysUntilNone(pace, facts.waiting, fellToday);
  if (days === undefined) return { kind: 'too_far' as const, ...facts };
  const { earliest, latest, slowing, latestIfSlowing } = daysAhead(pace, facts.waiting, DAYS_MAX);
  return {
    kind: 'falling' as const,
    ...facts,
    zeroDay: dayAfter(today, days),
    earliest: dayAfter(today, Math.min(days, Math.floor(earliest))),
    latest: lateDay(today, latest, days),
    slowing,
    latestIfSlowing: lateDay(today, latestIfSlowing, days),
    trend: trendOf(pace),
  };
}

const isSure = ({ fell, variance }: TokenPace, deviations: number) => fell ** 2 >= deviations ** 2 * variance;

/** What a pace without a date does; undefined for a pace that falls clearly enough. */
function withoutDate(pace: TokenPace): 'rising' | 'not_falling' | undefined {
  if (pace.fell < 0 && isSure(pace, FAR_OUT)) return 'rising';
  return pace.fell <= 0 || !isSure(pace, 1) ? 'not_falling' : undefined;
}

/** Whether more tokens stopped to wait than were connected. */
function hasRevoked(falls: readonly DailyFall[]): boolean {
  const kept = falls.filter(({ isLeftOut }) => !isLeftOut);
  return kept.reduce((sum, { fell, connected }) => sum + fell - connected, 0) > 0;
}

function byPace(falls: readonly DailyFall[], last: ProgressDay, today: string): Forecast {
  const whole = falls.filter(({ day }) => day < today);
  const ofToday = falls.find(({ day }) => day === today);
  const pace = paceOf(whole, last.waiting);
  const lately = whole.slice(-PACE_DAYS);
  const leftOut = changesLeftOut(falls, lately[0]?.day ?? '');
  const facts = { asOf: last.day, waiting: last.waiting, fell: pace.fell, leftOut };
  const kind = withoutDate(pace);
  if (kind) return { kind, ...facts };
  const dated = withDate(pace, facts, { fellToday: ofToday?.fell ?? 0, today });
  return dated.kind === 'too_far' ? dated : { ...dated, hasRevoked: hasRevoked(lately) };
}

/**
 * The forecast from the numbers of each day up to today, the oldest day first. `isCounted` says on which days the tokens
 * were counted; other days repeat the day before.
 */
export function forecastOf(
  days: readonly ProgressDay[],
  { today, isCounted }: { today: string; isCounted: (day: string) => boolean },
): Forecast {
  const lastCounted = days.findLastIndex(({ day }) => isCounted(day));
  const known = sinceCounted(days.slice(0, lastCounted + 1)).slice(-FORECAST_DAYS);
  const last = known.at(-1);
  if (!last) return { kind: 'none' };
  if (dayAfter(last.day, 1) < today) return { kind: 'count_is_old', asOf: last.day };
  if (last.waiting === 0) return { kind: 'done', asOf: last.day };
  const falls = markEvents(dailyFalls(known, isCounted));
  const change = lastGreatChange(falls, (index) => known[index + 1]?.waiting ?? 0);
  const telling = falls.slice(change + 1);
  const from = dayAfter(telling[0]?.day ?? dayAfter(last.day, 1), PACE_DAYS);
  if (from <= today) return byPace(telling, last, today);
  const since = falls[change] && changeOf(falls[change]);
  return { kind: 'too_few_days', asOf: last.day, waiting: last.waiting, from, since };
}
