import { escaped, fullDayWords } from './chart-words.ts';
import type { DailyChart } from './daily-chart.ts';
import { numbersTable, type Rows } from './numbers-table.ts';
import { axesOf, NARROW, type Plot, plotOf, type Size, WIDE } from './plot.ts';

/** What every chart of days stands in. */

export interface Drawing {
  /** The greatest number of the vertical axis. */
  greatest: number;
  /** Draws the series; `id` begins the ids in it. */
  draw: (plot: Plot, id: string) => string;
  /** The sign of a series in the legend; `id` is its own. */
  sign: (kind: string, id: string) => string;
  /** What the chart says, in words. */
  words: string;
  table: { rows: Rows; note: string };
}

const period = ({ days }: DailyChart) =>
  `${fullDayWords(days[0] ?? '')} to ${fullDayWords(days.at(-1) ?? '')}`;

function description(chart: DailyChart, words: string): string {
  const marks = (chart.marks ?? []).map(({ day, label }) => ` ${label}: ${fullDayWords(day)}.`);
  return escaped(`${period(chart)}. ${words}${marks.join('')}`);
}

/** The same chart for one width; the style sheet shows the one that fits. */
function svgOf(chart: DailyChart, drawing: Drawing, { size, name }: { size: Size; name: string }): string {
  const plot = plotOf(chart, drawing.greatest, size);
  const { below, above } = axesOf(chart, plot);
  const id = escaped(`${chart.id}-${name}`);
  // What is in an image is not there for those who hear the page; links are.
  const role = chart.linkOf ? 'group' : 'img';
  const labels = `<title id="${id}-t">${escaped(chart.title)}</title><desc id="${id}-d">${description(chart, drawing.words)}</desc>`;
  return `<svg class="chart-drawing chart-${name}" viewBox="0 0 ${size.width} ${size.height}" role="${role}" aria-labelledby="${id}-t ${id}-d">${labels}${below}${drawing.draw(plot, id)}${above}</svg>`;
}

function legendOf({ id, series }: DailyChart, sign: Drawing['sign']): string {
  const items = series.map(
    ({ label, kind }, index) => `<li>${sign(kind, escaped(`${id}-s${index}`))}${escaped(label)}</li>`,
  );
  return `<ul class="chart-legend">${items.join('')}</ul>`;
}

/** A chart where there is nothing to draw: words, not empty axes. */
export function emptyFigure({ title, empty }: DailyChart, otherwise: string): string {
  return `<figure class="chart"><figcaption>${escaped(title)}</figcaption><p class="muted">${escaped(empty ?? otherwise)}</p></figure>`;
}

/** The whole figure. */
export function figureOf(chart: DailyChart, drawing: Drawing): string {
  const sizes = chart.isSmall
    ? [{ size: NARROW, name: 'only' }]
    : [
        { size: WIDE, name: 'wide' },
        { size: NARROW, name: 'narrow' },
      ];
  const drawings = sizes.map((one) => svgOf(chart, drawing, one)).join('');
  // A small one stands below a heading that says the same.
  const caption = chart.isSmall ? '<figcaption class="visually-hidden">' : '<figcaption>';
  return `<figure class="chart">${caption}${escaped(chart.title)}</figcaption>${legendOf(chart, drawing.sign)}${drawings}${numbersTable(chart, drawing.table)}</figure>`;
}
