import { dayOf } from '../../shared/moments.ts';
import { countedDaysSince } from '../../store/progress/progress-days.ts';
import { lastDays } from '../usage/calls-per-day.ts';
import { FORECAST_DAYS } from './daily-falls.ts';
import type { ProgressDeps } from './deps.ts';
import { type Forecast, forecastOf } from './forecast.ts';
import { type ProgressDay, progressOf, progressOfApps } from './progress-of.ts';

/** Forecasts from the kept numbers. */

type ForecastDeps = Pick<ProgressDeps, 'store' | 'clock'>;

/** Makes a forecast from the numbers of each day up to today. */
export type Forecaster = (days: readonly ProgressDay[]) => Forecast;

/** Reads on which days the tokens were counted; they are the same days for every app. */
export async function createForecaster(context: ForecastDeps): Promise<Forecaster> {
  const counted = new Set(
    await countedDaysSince(context.store.durable, lastDays(context, FORECAST_DAYS)[0] ?? ''),
  );
  const today = dayOf(context.clock.now());
  return (days) => forecastOf(days, { today, isCounted: (day) => counted.has(day) });
}

/** The forecast of all apps together. */
export async function forecastOfAll(context: ForecastDeps): Promise<Forecast> {
  const forecast = await createForecaster(context);
  return forecast(await progressOf(context, 'all', { days: FORECAST_DAYS }));
}

/** The forecast of each of these apps, by client id. */
export async function forecastOfApps(
  context: ForecastDeps,
  clientIds: readonly string[],
): Promise<Map<string, Forecast>> {
  const forecast = await createForecaster(context);
  const progress = await progressOfApps(context, clientIds, { days: FORECAST_DAYS });
  return new Map([...progress].map(([clientId, days]) => [clientId, forecast(days)]));
}
