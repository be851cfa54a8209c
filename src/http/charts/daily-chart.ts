/** What a chart of days is made of. */

export interface Series {
  label: string;
  /** Its colour, and its pattern or dashes, so that colour is never the only difference. */
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
  /** What is said where every number is zero. */
  empty?: string;
  /** Where each day leads; its words say what is there. */
  linkOf?: (day: string) => { href: string; label: string };
  /** For pages with many charts: one drawing for all widths, and a shorter table. */
  isSmall?: boolean;
}
