import { stack } from 'd3-shape';
import { escaped } from './chart-words.ts';
import type { DailyChart } from './daily-chart.ts';
import { type Plot, short } from './plot.ts';

/** Draws bars of days, with the series stacked. */

type BarChart = Pick<DailyChart, 'days' | 'series'> & { linkOf?: DailyChart['linkOf'] | undefined };

/** The sum of each day. */
export function sumsOf({ days, series }: BarChart): number[] {
  return days.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
}

type Layer = ReadonlyArray<readonly number[]>;

/** The share of a day's width that its bar takes. */
const FILLED = 0.78;

/** With few days a bar does not grow further. */
const WIDEST = 56;

/** Above so many days, gaps and textures of bars would be a blur: the days of a series are one plain area. */
const BARS_APART = 40;

const isPlain = (days: readonly string[]) => days.length > BARS_APART;

function barsOf(layer: Layer, { x, y }: Plot): string {
  const width = Math.min(WIDEST, (x(1) - x(0)) * FILLED);
  const bar = ([from = 0, to = 0]: readonly number[], index: number) => {
    if (to <= from) return '';
    const start = x(index) + (x(1) - x(0) - width) / 2;
    return `M${short(start)} ${short(y(from))}V${short(y(to))}h${short(width)}V${short(y(from))}z`;
  };
  return layer.map(bar).join('');
}

/** The days in a row on which the series has a number, as pairs of the first day and the day after the last. */
function stretchesOf(layer: Layer): Array<[number, number]> {
  const edges = [...layer.map(([from = 0, to = 0]) => to > from), false];
  const starts = edges.flatMap((isDay, index) => (isDay && !edges[index - 1] ? [index] : []));
  return starts.map((start) => [start, edges.indexOf(false, start)]);
}

/** Each stretch of days as one shape: along its tops, and back along its feet. */
function areaOf(layer: Layer, { x, y }: Plot): string {
  const shapes = stretchesOf(layer).map(([start, end]) => {
    const days = layer
      .slice(start, end)
      .map(([from = 0, to = 0], place) => ({ from, to, index: start + place }));
    const tops = days.map(({ to, index }) => `V${short(y(to))}H${short(x(index + 1))}`);
    const feet = days.toReversed().map(({ from, index }) => `V${short(y(from))}H${short(x(index))}`);
    return `M${short(x(start))} ${short(y(days[0]?.from ?? 0))}${tops.join('')}${feet.join('')}z`;
  });
  return shapes.join('');
}

const HATCHES: Readonly<Record<string, string>> = {
  second: 'M-1 1l2-2M0 6l6-6M5 7l2-2',
  third: 'M-1 5l2 2M0 0l6 6M5-1l2 2',
  fourth: 'M2 2h2v2h-2z',
  fifth: 'M0 3h6M3 0v6',
  ok: 'M0 3h6',
  warning: 'M3 0v6',
  danger: 'M0 0l6 6M0 6l6-6',
  muted: 'M2 3h2',
};

/** The pattern of a series: hatching in the page colour over the series colour. '' for a series without hatching. */
function patternOf(id: string, kind: string): string {
  const hatch = HATCHES[kind];
  if (hatch === undefined) return '';
  return `<pattern id="${id}" width="6" height="6" patternUnits="userSpaceOnUse"><path class="chart-hatch" d="${hatch}"/></pattern>`;
}

function areaLayer(kind: string, d: string): string {
  return `<path class="chart-area chart-${kind}" d="${d}"/>`;
}

function layerOf(id: string, kind: string, d: string): string {
  const fill = `<path class="chart-bar chart-${kind}" d="${d}"/>`;
  return HATCHES[kind] === undefined ? fill : `${fill}<path fill="url(#${id})" d="${d}"/>`;
}

/** A link over each day that has a bar, as high as the drawing. The table has the same links for keyboard users. */
function linksOf({ days, series, linkOf }: BarChart, { x, top, bottom }: Plot): string {
  if (linkOf === undefined) return '';
  const [width, height] = [short(x(1) - x(0)), short(bottom - top)];
  const links = sumsOf({ days, series }).map((sum, index) => {
    if (sum === 0) return '';
    const { href, label } = linkOf(days[index] ?? '');
    const box = `x="${short(x(index))}" y="${short(top)}" width="${width}" height="${height}"`;
    return `<a href="${escaped(href)}" tabindex="-1"><title>${escaped(label)}</title><rect fill="transparent" ${box}/></a>`;
  });
  return links.join('');
}

/** Draws the bars: apart and with textures, or as plain areas where the days are many. `id` is the prefix of the ids. */
export function drawBars({ days, series, linkOf }: BarChart, plot: Plot, id: string): string {
  const layers = stack<number, number>()
    .keys(series.map((_, index) => index))
    .value((day, key) => series[key]?.values[day] ?? 0)(days.map((_, index) => index));
  const drawn = layers.map((layer, index) => {
    const kind = series[index]?.kind ?? 'muted';
    if (isPlain(days)) return areaLayer(kind, areaOf(layer, plot));
    const own = `${id}-p${index}`;
    return patternOf(own, kind) + layerOf(own, kind, barsOf(layer, plot));
  });
  return drawn.join('') + linksOf({ days, series, linkOf }, plot);
}

/** The sign of a series in the legend, as the series is drawn. `id` is the id of the sign. */
export function barSign({ days }: BarChart, kind: string, id: string): string {
  const box = 'M1 1h12v12h-12z';
  const drawn = isPlain(days) ? areaLayer(kind, box) : patternOf(id, kind) + layerOf(id, kind, box);
  return `<svg class="chart-sign" viewBox="0 0 14 14" aria-hidden="true">${drawn}</svg>`;
}
