import { formatNumber } from '../wording/words.ts';
import { shortDayWords, escaped, fullDayWords } from './chart-words.ts';
import type { DailyChart } from './daily-chart.ts';

/** The numbers of a chart as a table, for people who cannot see the chart or who want the exact numbers. */

const ROWS = 60;
const ROWS_OF_SMALL = 20;

/** Which days have a row, by their index. */
export type RowSelection = (chart: DailyChart) => number[];

const valuesAt = ({ series }: DailyChart, index: number) => series.map(({ values }) => values[index] ?? 0);

const places = ({ days }: DailyChart) => days.map((_, index) => index);

/** The days with a value other than zero. */
export const DAYS_WITH_VALUES: RowSelection = (chart) =>
  places(chart).filter((index) => valuesAt(chart, index).some((value) => value !== 0));

/** The first day, the days on which a number changed, and the last day. */
export const DAYS_OF_CHANGE: RowSelection = (chart) =>
  places(chart).filter((index) => {
    const before = valuesAt(chart, index - 1);
    const isEdge = index === 0 || index === chart.days.length - 1;
    return isEdge || valuesAt(chart, index).some((value, place) => value !== before[place]);
  });

function rowOf(chart: DailyChart, index: number): string {
  const day = chart.days[index] ?? '';
  const cells = valuesAt(chart, index).map((value) => `<td>${formatNumber(value)}</td>`);
  const link = chart.linkOf?.(day);
  const words = link
    ? `<a href="${escaped(link.href)}">${shortDayWords(day)}<span class="visually-hidden">: ${escaped(link.label)}</span></a>`
    : shortDayWords(day);
  return `<tr><th scope="row">${words}</th>${cells.join('')}</tr>`;
}

function leftOut({ days }: DailyChart, kept: number[], all: number): string {
  const since = fullDayWords(days[kept.at(-1) ?? 0] ?? '');
  return all > kept.length
    ? `<p class="hint">The newest ${kept.length} of ${formatNumber(all)} rows, back to ${since}.</p>`
    : '';
}

/** The table behind a summary that opens it, the newest day first. */
export function numbersTable(
  chart: DailyChart,
  { rows, note }: { rows: RowSelection; note: string },
): string {
  const all = rows(chart).toReversed();
  const kept = all.slice(0, chart.isSmall ? ROWS_OF_SMALL : ROWS);
  const heads = chart.series.map(({ label }) => `<th scope="col">${escaped(label)}</th>`).join('');
  const body = kept.map((index) => rowOf(chart, index)).join('');
  const title = escaped(chart.title);
  return `<details class="chart-numbers"><summary>Numbers<span class="visually-hidden">: ${title}</span></summary><p class="hint">${note}</p>${leftOut(chart, kept, all.length)}<div class="table" role="group" tabindex="0" aria-label="Numbers: ${title}"><table><thead><tr><th scope="col">Day (UTC)</th>${heads}</tr></thead><tbody>${body}</tbody></table></div></details>`;
}
