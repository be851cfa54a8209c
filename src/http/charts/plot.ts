import { scaleLinear } from 'd3-scale';
import { DAY } from '../../shared/lifetimes.ts';
import { dayOf } from '../../shared/moments.ts';
import { shortDayWords, escaped, fullDayWords, tickWords } from './chart-words.ts';
import type { DailyChart } from './daily-chart.ts';

/** The layout of a drawing: the positions of days and numbers, the axes, and the marked days. */

/** In the units of the drawing. A unit is shown as about one pixel. */
export interface Size {
  width: number;
  height: number;
  /** About how many day labels have room. */
  dayLabels: number;
}

/** A page shows the one that is about as wide as the place that the chart has (charts.css). */
export const BROAD: Size = { width: 1080, height: 290, dayLabels: 10 };
export const WIDE: Size = { width: 680, height: 260, dayLabels: 6 };
export const NARROW: Size = { width: 340, height: 220, dayLabels: 3 };

const CHARACTER = 7.5;
const BELOW = 26;
const RIGHT = 14;

export interface Plot {
  size: Size;
  top: number;
  left: number;
  right: number;
  /** The position of zero. */
  bottom: number;
  /** The left edge of a day, by its index in the chart. */
  x: (index: number) => number;
  y: (value: number) => number;
  ticks: number[];
  /** How many days the drawing spans, including the days between the last day and a later mark. */
  span: number;
  words: (tick: number) => string;
}

const daysBetween = (first: string, day: string) => Math.round((Date.parse(day) - Date.parse(first)) / DAY);

/** A drawing spans at most so many days: days further ahead would squeeze the days that are known. */
const spanMax = ({ days, forecast }: DailyChart) => (forecast ? 3 : 2) * days.length;

/** The place of a day, by its index. It may be ahead of the last day, or beyond the drawing. */
export function indexOfDay({ days }: DailyChart, day: string): number {
  return daysBetween(days[0] ?? '', day);
}

/**
 * The marks of the chart, the day of zero of a forecast, and today where the drawing goes on behind it. Otherwise the
 * label of the last day names today.
 */
function marksOf({ days, marks = [], forecast }: DailyChart): NonNullable<DailyChart['marks']> {
  const today = days.at(-1) ?? '';
  const zero = forecast ? [{ day: forecast.zeroDay, label: forecast.zeroLabel }] : [];
  const all = [...marks, ...zero];
  return all.some(({ day }) => day > today) ? [...all, { day: today, label: 'Today' }] : all;
}

/** The marks of the drawing, by index. A mark that is too far ahead is drawn at the edge. */
function placedMarks(chart: DailyChart) {
  return marksOf(chart)
    .map((mark) => ({ ...mark, index: indexOfDay(chart, mark.day) }))
    .filter(({ index }) => index >= 0)
    .map((mark) => ({ ...mark, isBeyond: mark.index >= spanMax(chart) }));
}

/** How many days the drawing spans: up to the last mark within it, and up to the end of a forecast's range. */
function spanOf(chart: DailyChart): number {
  const ahead = placedMarks(chart).flatMap(({ index, isBeyond }) => (isBeyond ? [] : [index + 1]));
  const { forecast } = chart;
  const ends = forecast ? [forecast.zeroDay, forecast.latest ?? forecast.zeroDay] : [];
  const forecasts = ends.map((day) => Math.min(spanMax(chart), indexOfDay(chart, day) + 1));
  return Math.max(chart.days.length, ...ahead, ...forecasts);
}

/** Lays out a chart whose greatest number is `greatest`. */
export function plotOf(chart: DailyChart, greatest: number, size: Size): Plot {
  const marks = placedMarks(chart);
  const span = spanOf(chart);
  const scale = scaleLinear()
    .domain([0, Math.max(1, greatest)])
    .nice(4);
  const ticks = scale.ticks(4).filter(Number.isInteger);
  const words = (tick: number) => tickWords(tick, greatest);
  const left = 12 + CHARACTER * Math.max(...ticks.map((tick) => words(tick).length));
  // One line of text above the drawing for each mark.
  const top = 10 + 18 * marks.length;
  const [right, bottom] = [size.width - RIGHT, size.height - BELOW];
  const y = scale.range([bottom, top]);
  const x = scaleLinear().domain([0, span]).range([left, right]);
  return { size, top, left, right, bottom, x, y, ticks, span, words };
}

/** A length, rounded for the drawing. */
export function short(length: number): string {
  return String(Math.round(length * 10) / 10);
}

function valueAxis({ ticks, y, left, right, words }: Plot): string {
  return ticks
    .map((tick) => {
      const at = short(y(tick));
      const line = `<line class="chart-grid" x1="${short(left)}" x2="${short(right)}" y1="${at}" y2="${at}"/>`;
      return `${line}<text x="${short(left - 6)}" y="${at}" dy="4" text-anchor="end">${words(tick)}</text>`;
    })
    .join('');
}

/** The days that have a label, by index: the first, the last, and days in equal steps between them. */
function labelledDays({ span, size }: Plot): number[] {
  const gaps = Math.min(span, size.dayLabels) - 1;
  if (gaps < 1) return [0];
  return Array.from({ length: gaps + 1 }, (_, gap) => Math.round((gap * (span - 1)) / gaps));
}

/** The anchor of a label that would be cut off at an edge, were it in the middle. */
function anchorAt(at: number, words: string, { size }: Plot): string {
  const half = (words.length * CHARACTER) / 2;
  if (at < half) return 'start';
  return at > size.width - half ? 'end' : 'middle';
}

function dayAxis({ days }: DailyChart, plot: Plot): string {
  const { x, size, bottom, span } = plot;
  const start = Date.parse(days[0] ?? '');
  const labels = labelledDays(plot).map((index) => {
    const day = dayOf(start + index * DAY);
    // Over a year a day of the month alone would be on two places.
    const date = index === 0 && span > 300 ? fullDayWords(day) : shortDayWords(day);
    const words = index === days.length - 1 && span === days.length ? `Today, ${date}` : date;
    const [at, anchor] = [x(index + 0.5), anchorAt(x(index + 0.5), words, plot)];
    // A label at the end stands as far right as it can, away from the label before it.
    const left = anchor === 'end' ? size.width - 2 : at;
    return `<text x="${short(left)}" y="${bottom + 18}" text-anchor="${anchor}">${words}</text>`;
  });
  return labels.join('');
}

/** The line of today, behind the series. Where the drawing goes on behind today, a mark names today instead. */
function todayLine({ days }: DailyChart, { x, bottom, span }: Plot): string {
  if (span > days.length) return '';
  const at = short(x(days.length - 0.5));
  return `<line class="chart-today" x1="${at}" x2="${at}" y1="2" y2="${bottom}"/>`;
}

function markLines(chart: DailyChart, { x, left, right, bottom }: Plot): string {
  return placedMarks(chart)
    .map(({ day, label, index, isBeyond }, place) => {
      const at = isBeyond ? right : x(index + 0.5);
      const above = 14 + 18 * place;
      const words = `${label}, ${isBeyond ? fullDayWords(day) : shortDayWords(day)}${isBeyond ? ' →' : ''}`;
      const anchor = at > (left + right) / 2 ? 'end' : 'start';
      const aside = anchor === 'end' ? -5 : 5;
      const line = `<line class="chart-mark" x1="${short(at)}" x2="${short(at)}" y1="${above - 10}" y2="${bottom}"/>`;
      return `${line}<text class="chart-mark-label" x="${short(at + aside)}" y="${above}" text-anchor="${anchor}">${escaped(words)}</text>`;
    })
    .join('');
}

/** The axes, drawn below the series, and the marks, drawn above the series. */
export function axesOf(chart: DailyChart, plot: Plot): { below: string; above: string } {
  return {
    below: valueAxis(plot) + dayAxis(chart, plot) + todayLine(chart, plot),
    above: markLines(chart, plot),
  };
}
