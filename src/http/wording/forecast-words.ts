import type { FallingForecast, Forecast, LeftOutChange } from '../../domain/progress/forecast.ts';
import { type AppLifecycle, oldApiStatusOf } from '../../domain/lifecycle/old-api-status.ts';
import { DAY } from '../../shared/lifetimes.ts';
import { dayOf } from '../../shared/moments.ts';
import { capital } from '../../shared/words.ts';
import { dateLines } from './dates/lines.ts';
import { formatNumber } from './words.ts';

/** When the last waiting token is connected, in sentences: pure functions of one forecast and the dates. */

const LONG_DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** `4 March 2027`. The days of a forecast are UTC days, which no zone of a reader moves. */
const dayWords = (day: string) => LONG_DAY.format(Date.parse(day));

const SMALL = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');

const spanOf = (count: number, what: string) =>
  `${SMALL[count] ?? formatNumber(count)} ${what}${count === 1 ? '' : 's'}`;

/** A time between two days: `three days`, `six weeks`, `about six weeks`, `about nine months`. */
function lengthWords(days: number): string {
  if (days <= 13) return spanOf(days, 'day');
  if (days < 26 * 7) return `${days % 7 === 0 ? '' : 'about '}${spanOf(Math.round(days / 7), 'week')}`;
  if (days < 2 * 365) return `about ${spanOf(Math.round(days / 30.44), 'month')}`;
  return `about ${spanOf(Math.round(days / 365.25), 'year')}`;
}

interface NamedDate {
  name: string;
  day: string;
}

const NAMES = { retirement: 'the retirement', sunset: 'the end of the old API' };

/** The date that a forecast is compared with: the retirement, or the sunset where no retirement changes a call. */
function comparedDate(asOf: AppLifecycle): NamedDate | undefined {
  const lines = dateLines(asOf).filter(({ changesCalls }) => changesCalls);
  const line = lines.find(({ milestone }) => milestone === 'retirement') ?? lines[0];
  return line && { name: NAMES[line.milestone], day: dayOf(line.at) };
}

function comparison(day: string, date: NamedDate | undefined): string {
  if (!date) return '';
  const days = Math.round((Date.parse(day) - Date.parse(date.day)) / DAY);
  if (days === 0) return `, on the day of ${date.name}`;
  return `, ${lengthWords(Math.abs(days))} ${days > 0 ? 'after' : 'before'} ${date.name}`;
}

/** That the range reaches to the other side of the date. */
function crossing({ zeroDay, earliest, latest }: FallingForecast, date: NamedDate | undefined): string {
  if (!date) return '';
  if (zeroDay <= date.day && (latest ?? '~') > date.day) return `, so it may come after ${date.name}`;
  return zeroDay >= date.day && earliest < date.day ? `, so it may come before ${date.name}` : '';
}

function rangeSentence(forecast: FallingForecast, date: NamedDate | undefined): string[] {
  const { earliest, latest, zeroDay } = forecast;
  if (earliest === zeroDay && latest === zeroDay) return [];
  const across = crossing(forecast, date);
  if (latest === undefined)
    return [`It is ${dayWords(earliest)} at the earliest; no latest day can be told${across}.`];
  return [`If the pace lasts, it is between ${dayWords(earliest)} and ${dayWords(latest)}${across}.`];
}

/** What happens where the pace does not last. */
function trendSentence({ trend, slowing, latest, latestIfSlowing }: FallingForecast): string[] {
  if (slowing === 'seen')
    return ['The pace is falling so much that it can be far later, or that some tokens are never connected.'];
  const risen = trend === 'rises' ? ['The pace is rising; the earlier of these days counts that in.'] : [];
  if (slowing === 'ruled_out') return risen;
  if (latestIfSlowing !== undefined && latest !== undefined && latestIfSlowing <= latest) return risen;
  const until =
    latestIfSlowing === undefined ? 'it takes far longer' : `it may take until ${dayWords(latestIfSlowing)}`;
  if (trend === 'falls') return [`The pace is falling: if that goes on, ${until}.`];
  return [...risen, `If the pace falls as fewer tokens are left, ${until}.`];
}

/** That a token which is connected after the end of the old API helps nobody. */
function endSentence(zeroDay: string, asOf: AppLifecycle): string[] {
  const end = dateLines(asOf).find(({ milestone }) => milestone === 'sunset');
  if (!end || zeroDay < dayOf(end.at)) return [];
  return [`But connecting helps only until the old API ends, on ${dayWords(dayOf(end.at))}.`];
}

/** `the rise by 400 on 3 November 2026`, or between two days where nobody counted. */
function changeWords({ day, from, rose }: LeftOutChange): string {
  const when = from === day ? `on ${dayWords(day)}` : `between ${dayWords(from)} and ${dayWords(day)}`;
  return `the ${rose > 0 ? 'rise' : 'fall'} by ${formatNumber(Math.abs(Math.round(rose)))} ${when}`;
}

function leftOutSentences(changes: readonly LeftOutChange[]): string[] {
  return changes.map(
    (change) => `${capital(changeWords(change))} happened once and is left out of the pace.`,
  );
}

function tooFewDaysWords(since: LeftOutChange | undefined): string {
  const after = since ? `after ${changeWords(since)}` : 'of counts';
  return `When the last token is connected cannot be told yet: a pace takes two whole weeks ${after}.`;
}

function fallingSentences(forecast: FallingForecast, asOf: AppLifecycle): string[] {
  const { zeroDay, hasRevoked } = forecast;
  const date = comparedDate(asOf);
  const done = hasRevoked ? 'connected or revoked' : 'connected';
  return [
    `At the pace of the last two weeks the last token is ${done} on ${dayWords(zeroDay)}${comparison(zeroDay, date)}.`,
    ...endSentence(zeroDay, asOf),
    ...rangeSentence(forecast, date),
    ...trendSentence(forecast),
  ];
}

function notFallingWords(fell: number, beside: string): string {
  return Math.round(fell) > 0
    ? `In the last two weeks the number of tokens that are not connected fell by ${formatNumber(Math.round(fell))}${beside}, but too unevenly to tell a date.`
    : 'The number of tokens that are not connected did not fall in the last two weeks, so there is no forecast.';
}

/** What happened once is no part of the pace; it is named after the sentence. */
const besides = (forecast: Forecast): string =>
  'leftOut' in forecast && forecast.leftOut.length > 0 ? ' beside what is named below' : '';

function sentencesOfForecast(forecast: Forecast, asOf: AppLifecycle): string[] {
  switch (forecast.kind) {
    case 'none':
    case 'done':
      return [];
    case 'count_is_old':
      return [
        `When the last token is connected cannot be told: the tokens were last counted on ${dayWords(forecast.asOf)}.`,
      ];
    case 'too_few_days':
      return [tooFewDaysWords(forecast.since), `A forecast stands here from ${dayWords(forecast.from)} on.`];
    case 'not_falling':
      return [notFallingWords(forecast.fell, besides(forecast))];
    case 'rising':
      return [
        `In the last two weeks the number of tokens that are not connected rose by ${formatNumber(Math.round(-forecast.fell))}${besides(forecast)}, so there is no forecast.`,
      ];
    case 'too_far':
      return [
        'At the pace of the last two weeks it takes more than ten years until the last token is connected.',
      ];
    case 'falling':
      return fallingSentences(forecast, asOf);
  }
}

/**
 * The forecast in a few sentences, the date first; none where no token waits, and none after the end of the old API, when
 * connecting helps no more.
 */
export function forecastSentences(forecast: Forecast, asOf: AppLifecycle): string[] {
  if (oldApiStatusOf(asOf).phase === 'ended') return [];
  const leftOut = 'leftOut' in forecast ? leftOutSentences(forecast.leftOut) : [];
  return [...sentencesOfForecast(forecast, asOf), ...leftOut];
}
