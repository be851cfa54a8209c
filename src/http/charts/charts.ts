/** Charts as SVG, drawn on the server; classes carry the colours (charts.css), so that a page needs no inline style. */

export interface Series {
  label: string;
  kind: 'accent' | 'second' | 'ok' | 'warning' | 'danger' | 'muted';
  /** One for each day of the chart. */
  values: readonly number[];
}

export interface DailyChart {
  /** Unique on its page. */
  id: string;
  title: string;
  /** `YYYY-MM-DD`, without a gap, the oldest first. */
  days: readonly string[];
  series: readonly Series[];
  /** Days that stand out, such as the retirement; one beyond the last day widens the chart. */
  marks?: ReadonlyArray<{ day: string; label: string }>;
}

/** Bars of days, the series one above the other, as a figure with legend and a table of its numbers. */
export function stackedBars(_chart: DailyChart): string {
  return '';
}

/** A line for each series, as a figure with legend and a table of its numbers. */
export function lines(_chart: DailyChart): string {
  return '';
}

/** A small chart without axes, for a row of a list; `label` says in words what it shows. */
export function sparkline(_chart: { label: string; values: readonly number[] }): string {
  return '';
}
