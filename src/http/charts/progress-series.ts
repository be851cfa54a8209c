import type { Forecast } from '../../domain/progress/forecast.ts';
import type { ProgressDay } from '../../domain/progress/progress-of.ts';
import { STATE_COLOURS } from '../wording/colours.ts';
import { dayOf } from '../../shared/moments.ts';
import { lines } from './charts.ts';
import type { DailyChart, ForecastLine, Series } from './daily-chart.ts';

/**
 * The movement of tokens as chart series, the same in every chart. Finished states come first, which puts them at the
 * bottom of bars.
 */
function progressSeries(days: readonly ProgressDay[]): Series[] {
  return [
    {
      label: 'Moved to the new API',
      kind: STATE_COLOURS.migrated,
      values: days.map(({ migrated }) => migrated),
    },
    { label: 'Connected', kind: STATE_COLOURS.active, values: days.map(({ mapped }) => mapped) },
    { label: 'Not connected', kind: STATE_COLOURS.unmapped, values: days.map(({ waiting }) => waiting) },
  ];
}

/** The forecast as the dashed line of the waiting tokens; undefined where there is no date. */
function forecastLine(forecast: Forecast): ForecastLine | undefined {
  if (forecast.kind !== 'falling') return undefined;
  const { waiting: from, zeroDay, earliest, latest } = forecast;
  const words = { label: 'Waiting, at the pace of two weeks', zeroLabel: 'None waits' };
  return { ...words, kind: STATE_COLOURS.unmapped, from, zeroDay, earliest, latest };
}

type ChartHeading = Pick<DailyChart, 'id' | 'title' | 'empty' | 'isSmall'>;

/**
 * The chart of the counted days, with the retirement and the forecast. '' before the second counted day, because a line
 * of a single day would be a dot.
 */
export function progressChart(
  of: ChartHeading,
  counted: readonly ProgressDay[],
  { retiresAt, forecast }: { retiresAt: number | undefined; forecast: Forecast | undefined },
): string {
  if (counted.length < 2) return '';
  return lines({
    ...of,
    days: counted.map(({ day }) => day),
    series: progressSeries(counted),
    marks: retiresAt === undefined ? [] : [{ day: dayOf(retiresAt), label: 'Retirement' }],
    forecast: forecast && forecastLine(forecast),
  });
}
