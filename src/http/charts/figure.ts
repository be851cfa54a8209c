import { escaped, fullDayWords } from './chart-words.ts';
import { forecastSign } from './curves.ts';
import type { DailyChart } from './daily-chart.ts';
import { numbersTable, type RowSelection } from './numbers-table.ts';
import { axesOf, BROAD, NARROW, type Plot, plotOf, type Size, WIDE } from './plot.ts';

/** The figure around every chart by day. */

export interface ChartContent {
  /** The greatest number of the vertical axis. */
  greatest: number;
  /** Draws the series. `id` is the prefix of the ids in the drawing. */
  draw: (plot: Plot, id: string) => string;
  /** The sign of a series in the legend. `id` is the id of the sign. */
  sign: (kind: string, id: string) => string;
  /** A description of the chart in words. */
  words: string;
  table: { rows: RowSelection; note: string };
}

const period = ({ days }: DailyChart) =>
  `${fullDayWords(days[0] ?? '')} to ${fullDayWords(days.at(-1) ?? '')}`;

/** ` None waits: 4 Mar 2027 (forecast, from 20 Feb 2027 to 2 Apr 2027).` */
function forecastText({ forecast }: DailyChart): string {
  if (!forecast) return '';
  const { zeroLabel, zeroDay, earliest, latest } = forecast;
  const range = `from ${fullDayWords(earliest)}${latest === undefined ? ' on' : ` to ${fullDayWords(latest)}`}`;
  return ` ${zeroLabel}: ${fullDayWords(zeroDay)} (forecast, ${range}).`;
}

function description(chart: DailyChart, words: string): string {
  const marks = (chart.marks ?? []).map(({ day, label }) => ` ${label}: ${fullDayWords(day)}.`);
  return escaped(`${period(chart)}. ${words}${marks.join('')}${forecastText(chart)}`);
}

/** The chart at one width. The style sheet shows the drawing that fits the screen. */
function svgOf(
  chart: DailyChart,
  drawing: ChartContent,
  { size, name }: { size: Size; name: string },
): string {
  const plot = plotOf(chart, drawing.greatest, size);
  const { below, above } = axesOf(chart, plot);
  const id = escaped(`${chart.id}-${name}`);
  // Screen readers do not read the inside of the role `img`, but links must be readable.
  const role = chart.linkOf ? 'group' : 'img';
  const labels = `<title id="${id}-t">${escaped(chart.title)}</title><desc id="${id}-d">${description(chart, drawing.words)}</desc>`;
  return `<svg class="chart-drawing chart-${name}" viewBox="0 0 ${size.width} ${size.height}" role="${role}" aria-labelledby="${id}-t ${id}-d">${labels}${below}${drawing.draw(plot, id)}${above}</svg>`;
}

function legendOf({ id, series, forecast }: DailyChart, sign: ChartContent['sign']): string {
  const items = series.map(
    ({ label, kind }, index) => `<li>${sign(kind, escaped(`${id}-s${index}`))}${escaped(label)}</li>`,
  );
  if (forecast) items.push(`<li>${forecastSign(forecast.kind)}${escaped(forecast.label)}</li>`);
  return `<ul class="chart-legend">${items.join('')}</ul>`;
}

/** A chart without data: words instead of empty axes. */
export function emptyFigure({ title, empty }: DailyChart, otherwise: string): string {
  return `<figure class="chart"><figcaption>${escaped(title)}</figcaption><p class="muted">${escaped(empty ?? otherwise)}</p></figure>`;
}

/** Says where the days begin, where earlier days were left out. */
function beginOf({ days, isFromFirst }: DailyChart): string {
  if (!isFromFirst) return '';
  return `<p class="hint">The chart begins with the first day that has a number, ${fullDayWords(days[0] ?? '')}.</p>`;
}

/** The whole figure. */
export function figureOf(chart: DailyChart, drawing: ChartContent): string {
  const sizes = chart.isSmall
    ? [{ size: NARROW, name: 'only' }]
    : [
        { size: BROAD, name: 'broad' },
        { size: WIDE, name: 'wide' },
        { size: NARROW, name: 'narrow' },
      ];
  const drawings = sizes.map((one) => svgOf(chart, drawing, one)).join('');
  // A small chart stands below a heading with the same words.
  const caption = chart.isSmall ? '<figcaption class="visually-hidden">' : '<figcaption>';
  return `<figure class="chart">${caption}${escaped(chart.title)}</figcaption>${beginOf(chart)}${legendOf(chart, drawing.sign)}${drawings}${numbersTable(chart, drawing.table)}</figure>`;
}
