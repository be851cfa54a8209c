import type { Forecast } from './forecast.ts';
import { PACE_DAYS } from './daily-falls.ts';

/** A forecast for other programs. The names and the order of the columns never change; new columns come last. */

export const FORECAST_COLUMNS = [
  'outcome',
  'as_of',
  'waiting',
  'fell_in_14_days',
  'fell_per_day',
  'zero_day',
  'earliest',
  'latest',
  'slowing',
  'latest_if_slowing',
  'trend',
  'forecast_from',
] as const;

type ForecastRow = Partial<Record<(typeof FORECAST_COLUMNS)[number], string | number>>;

const rounded = (number: number) => Math.round(number * 100) / 100;

/** The values that are known; a value that cannot be told is left out. */
export function forecastRow(forecast: Forecast): ForecastRow {
  const { kind: outcome } = forecast;
  if (outcome === 'none') return { outcome };
  const row: ForecastRow = { outcome, as_of: forecast.asOf };
  if (outcome === 'done') return { ...row, waiting: 0 };
  if (outcome === 'count_is_old') return row;
  row.waiting = forecast.waiting;
  if (outcome === 'too_few_days') return { ...row, forecast_from: forecast.from };
  row.fell_in_14_days = rounded(forecast.fell);
  row.fell_per_day = rounded(forecast.fell / PACE_DAYS);
  if (outcome !== 'falling') return row;
  const { zeroDay: zero_day, earliest, latest, slowing, latestIfSlowing, trend } = forecast;
  const dated: ForecastRow = { ...row, zero_day, earliest, slowing, trend };
  if (latest !== undefined) dated.latest = latest;
  if (latestIfSlowing !== undefined) dated.latest_if_slowing = latestIfSlowing;
  return dated;
}
