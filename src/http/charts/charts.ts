import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { formatNumber } from '../wording/words.ts';
import { barSign, drawBars, sumsOf } from './bars.ts';
import { shortDayWords, escaped } from './chart-words.ts';
import { drawForecast, drawLines, lineSign } from './curves.ts';
import type { DailyChart, Series } from './daily-chart.ts';
import { emptyFigure, figureOf } from './figure.ts';
import { DAYS_OF_CHANGE, DAYS_WITH_VALUES } from './numbers-table.ts';

/** Charts as SVG, drawn on the server. Classes carry the colours (charts.css), so a page needs no inline style. */

export type { DailyChart, Series } from './daily-chart.ts';

const isEmpty = ({ series }: DailyChart) =>
  series.every(({ values }) => values.every((value) => value === 0));

/** The chart from the first day that has a number: the empty days before it would squeeze the others. */
function fromFirstNumber(chart: DailyChart): DailyChart {
  const first = chart.days.findIndex((_, index) =>
    chart.series.some(({ values }) => (values[index] ?? 0) !== 0),
  );
  if (first <= 0) return chart;
  const series = chart.series.map((one) => ({ ...one, values: one.values.slice(first) }));
  return { ...chart, days: chart.days.slice(first), series, isFromFirst: true };
}

const totalOf = ({ values }: Series) => values.reduce((sum, value) => sum + value, 0);

function barWords({ days, series }: DailyChart, sums: readonly number[]): string {
  const most = Math.max(...sums);
  const totals = series.map((one) => `${one.label}: ${formatNumber(totalOf(one))}.`);
  return `${totals.join(' ')} The most on one day: ${formatNumber(most)}, on ${shortDayWords(days[sums.indexOf(most)] ?? '')}.`;
}

/** What it means that all days, or some days, have no bar. */
const barNotes = ({ isPartial }: DailyChart) =>
  isPartial
    ? { none: 'No calls are known of these days.', rest: 'Of days that are not listed none are known.' }
    : { none: 'No calls in these days.', rest: 'Days that are not listed had none.' };

/** A figure of stacked bars by day, with a legend and a table of the numbers. */
export function stackedBars(asked: DailyChart): string {
  if (isEmpty(asked)) return emptyFigure(asked, barNotes(asked).none);
  const chart = fromFirstNumber(asked);
  const sums = sumsOf(chart);
  return figureOf(chart, {
    greatest: Math.max(...sums),
    draw: (plot, id) => drawBars(chart, plot, id),
    sign: (kind, id) => barSign(chart, kind, id),
    words: barWords(chart, sums),
    table: { rows: DAYS_WITH_VALUES, note: barNotes(chart).rest },
  });
}

const lineWords = ({ series }: DailyChart) =>
  series
    .map(
      ({ label, values }) =>
        `${label}: from ${formatNumber(values[0] ?? 0)} to ${formatNumber(values.at(-1) ?? 0)}.`,
    )
    .join(' ');

/** A figure with a line for each series, a legend and a table of the numbers. */
export function lines(asked: DailyChart): string {
  if (isEmpty(asked)) return emptyFigure(asked, 'There is nothing to count in these days.');
  const chart = fromFirstNumber(asked);
  return figureOf(chart, {
    greatest: Math.max(...chart.series.flatMap(({ values }) => values)),
    draw: (plot) => drawLines(chart, plot) + drawForecast(chart, plot),
    sign: lineSign,
    words: lineWords(chart),
    table: { rows: DAYS_OF_CHANGE, note: 'Days that are not listed are as the day before them.' },
  });
}

/** A small chart without axes, for a row of a list. `label` describes the chart in words. */
export function sparkline({ label, values }: { label: string; values: readonly number[] }): string {
  const x = scaleLinear()
    .domain([0, Math.max(1, values.length - 1)])
    .range([2, 118]);
  const y = scaleLinear()
    .domain([0, Math.max(1, ...values)])
    .range([25, 4]);
  const points = [...values];
  const at = (_: number, index: number) => x(index);
  const edge = line<number>().x(at).y(y).digits(1)(points) ?? '';
  const below = area<number>().x(at).y0(25).y1(y).digits(1)(points) ?? '';
  return `<svg class="sparkline" viewBox="0 0 120 28" width="120" height="28" role="img" aria-label="${escaped(label)}"><path class="sparkline-area" d="${below}"/><path class="sparkline-line" d="${edge}"/></svg>`;
}
