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

/** The share of a day's width that its bar takes. */
const FILLED = 0.78;

function barsOf(layer: ReadonlyArray<readonly number[]>, { x, y }: Plot): string {
  const width = (x(1) - x(0)) * FILLED;
  const bar = ([from = 0, to = 0]: readonly number[], index: number) => {
    if (to <= from) return '';
    const start = x(index) + (x(1) - x(0) - width) / 2;
    return `M${short(start)} ${short(y(from))}V${short(y(to))}h${short(width)}V${short(y(from))}z`;
  };
  return layer.map(bar).join('');
}

const HATCHES: Readonly<Record<string, string>> = {
  second: 'M-1 1l2-2M0 6l6-6M5 7l2-2',
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

/** Draws the bars. `id` is the prefix of the ids in the drawing. */
export function drawBars({ days, series, linkOf }: BarChart, plot: Plot, id: string): string {
  const layers = stack<number, number>()
    .keys(series.map((_, index) => index))
    .value((day, key) => series[key]?.values[day] ?? 0)(days.map((_, index) => index));
  const drawn = layers.map((layer, index) => {
    const kind = series[index]?.kind ?? 'muted';
    const own = `${id}-p${index}`;
    return patternOf(own, kind) + layerOf(own, kind, barsOf(layer, plot));
  });
  return drawn.join('') + linksOf({ days, series, linkOf }, plot);
}

/** The sign of a series in the legend. `id` is the id of the sign. */
export function barSign(kind: string, id: string): string {
  const box = 'M1 1h12v12h-12z';
  return `<svg class="chart-sign" viewBox="0 0 14 14" aria-hidden="true">${patternOf(id, kind)}${layerOf(id, kind, box)}</svg>`;
}
