import type { Colour } from '../wording/colours.ts';

/** The data of a chart by day. */

export interface Series {
  label: string;
  /** The colour of the series, with its own pattern or dashes, so that colour is never the only difference. */
  kind: Colour;
  /** One value for each day of the chart. */
  values: readonly number[];
}

/** A dashed line from the last day of a series down to zero. */
export interface ForecastLine {
  /** What the line tells, for the legend. */
  label: string;
  /** The day of zero in words, such as `None waits`. */
  zeroLabel: string;
  /** The colour of the series that goes on. */
  kind: Series['kind'];
  /** The number of the last day. */
  from: number;
  zeroDay: string;
  /** The range of the day of zero; `latest` is undefined where it has no end. */
  earliest: string;
  latest: string | undefined;
}

export interface DailyChart {
  /** Unique on its page. */
  id: string;
  title: string;
  /** `YYYY-MM-DD`, without gaps, the oldest day first. The last day is today. */
  days: readonly string[];
  series: readonly Series[];
  /** Whether days before the first one were left out, for no day of them has a number. */
  isFromFirst?: boolean;
  /** Whether more may have come in these days than is known. Bars say so of days without a number. */
  isPartial?: boolean;
  /** Days that stand out, such as the retirement. A mark after the last day widens the chart. */
  marks?: ReadonlyArray<{ day: string; label: string }>;
  /** How a series goes on after today. Only lines show it. */
  forecast?: ForecastLine | undefined;
  /** The text where every number is zero. */
  empty?: string;
  /** The link of each day. Its label says what the link opens. */
  linkOf?: (day: string) => { href: string; label: string };
  /** For pages with many charts: one drawing for all widths, and a shorter table. */
  isSmall?: boolean;
}
