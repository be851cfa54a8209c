import { line } from 'd3-shape';
import type { DailyChart, ForecastLine } from './daily-chart.ts';
import { indexOfDay, type Plot, short } from './plot.ts';

/** Draws a line for each series. */

type LineChart = Pick<DailyChart, 'days' | 'series'>;

/** Leaves out the inner points of a level stretch: they add nothing to the line. */
function withoutLevel(values: readonly number[]): Array<[number, number]> {
  return values.flatMap((value, index): Array<[number, number]> => {
    const isLevel = value === values[index - 1] && value === values[index + 1];
    return isLevel ? [] : [[index, value]];
  });
}

/** Draws the lines. Each line has its own dashes and a dot at its end. */
export function drawLines({ days, series }: LineChart, { x, y }: Plot): string {
  const path = line()
    .x(([index]) => x(index + 0.5))
    .y(([, value]) => y(value))
    .digits(1);
  return series
    .map(({ kind, values }) => {
      const d = path(withoutLevel(values.slice(0, days.length))) ?? '';
      const end = `cx="${short(x(days.length - 0.5))}" cy="${short(y(values[days.length - 1] ?? 0))}"`;
      return `<path class="chart-line chart-${kind}" d="${d}"/><circle class="chart-end chart-${kind}" ${end} r="3.5"/>`;
    })
    .join('');
}

/** The sign of a series in the legend. */
export function lineSign(kind: string): string {
  return `<svg class="chart-sign chart-sign-line" viewBox="0 0 32 14" aria-hidden="true"><path class="chart-line chart-${kind}" d="M1 7H31"/></svg>`;
}

/** The height of the ends of a range. */
const TICK = 5;

/** The range of the day of zero, as far as it lies in the drawing; a range without an end goes to its edge. */
function rangeOf(chart: DailyChart, { kind, earliest, latest }: ForecastLine, plot: Plot): string {
  const { x, bottom, right, span } = plot;
  const [from, to] = [indexOfDay(chart, earliest), latest && indexOfDay(chart, latest)];
  if (from >= span) return '';
  const tick = (at: number) => `M${short(at)} ${short(bottom - TICK)}v${2 * TICK}`;
  const isWhole = typeof to === 'number' && to < span;
  const [start, end] = [x(from + 0.5), isWhole ? x(to + 0.5) : right];
  const ends = isWhole ? tick(start) + tick(end) : tick(start);
  return `<path class="chart-range chart-${kind}" d="M${short(start)} ${short(bottom)}H${short(end)}${ends}"/>`;
}

/** Draws how a series goes on: a dashed line from the last day to zero, and the range of the day of zero. */
export function drawForecast(chart: DailyChart, plot: Plot): string {
  const { forecast, days } = chart;
  if (!forecast) return '';
  const { x, y, right } = plot;
  const [start, end] = [x(days.length - 0.5), x(indexOfDay(chart, forecast.zeroDay) + 0.5)];
  const shown = Math.min(end, right);
  // A line to a day beyond the drawing ends at its edge.
  const rest = end > start ? forecast.from * (1 - (shown - start) / (end - start)) : 0;
  const d = `M${short(start)} ${short(y(forecast.from))}L${short(shown)} ${short(y(rest))}`;
  return `<path class="chart-forecast chart-${forecast.kind}" d="${d}"/>${rangeOf(chart, forecast, plot)}`;
}

/** The sign of a forecast in the legend. */
export function forecastSign(kind: string): string {
  return `<svg class="chart-sign chart-sign-line" viewBox="0 0 32 14" aria-hidden="true"><path class="chart-forecast chart-${kind}" d="M1 3L31 11"/></svg>`;
}
