import { line } from 'd3-shape';
import type { DailyChart } from './daily-chart.ts';
import { type Plot, short } from './plot.ts';

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
