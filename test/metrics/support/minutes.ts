import type { Sample } from './scrape.ts';
import type { InputSeries } from './promtool.ts';

/** Series of Prometheus over some hours, made from one real scrape. */

/** How long a case lasts, in minutes: most rules look at half an hour for half an hour, or wait for an hour. */
export const MINUTES = 180;

/** The series of a metric with these labels among others. */
interface SeriesName {
  metric: string;
  labels?: Sample['labels'];
}

/** How the series with a name go on: the value of each minute, in the notation of `promtool test rules`. */
export interface Course extends SeriesName {
  values: string;
}

/** Two states around the limit of a rule. */
export interface AlertCourses {
  fires: Course[];
  /** Just below the limit of the rule. */
  quiet: Course[];
}

/** Stays as it is. */
export const stays = (value: number): string => `${value}+0x${MINUTES}`;

/** Grows by so much each minute. */
export const grows = (by: number): string => `0+${by}x${MINUTES}`;

/** A gauge that stays as it is. */
export const gauge = (metric: string, value: number, labels = {}): Course => ({
  metric,
  labels,
  values: stays(value),
});

/** Grows by one a few minutes before the end of the case. */
export const GROWS_ONCE = `0+0x${MINUTES - 10} 1+0x10`;

const fits = ({ metric, labels = {} }: SeriesName, sample: Sample): boolean =>
  sample.name === metric && Object.entries(labels).every(([label, value]) => sample.labels[label] === value);

const textOf = ({ name, labels }: Sample): string =>
  `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    .join(',')}}`;

/**
 * Every series of a scrape: the last course that fits says how it goes on, and it stays as it is where none fits.
 * @throws {Error} a course is of a series that the scrape does not have
 */
export function seriesOf(samples: readonly Sample[], courses: readonly Course[]): InputSeries[] {
  const unknown = courses.find((course) => !samples.some((sample) => fits(course, sample)));
  if (unknown) throw new Error(`/metrics has no ${JSON.stringify(unknown)}`);
  return samples.map((sample) => ({
    series: textOf(sample),
    values: courses.findLast((course) => fits(course, sample))?.values ?? stays(sample.value),
  }));
}

/** Durations of a histogram: so many a minute, and so many of them above a limit in seconds that is one of its buckets. */
interface SlowOnes {
  all: number;
  slow: number;
  above: number;
}

/** The buckets up to the limit miss the slow ones. Only buckets that the histogram has are named. */
export const durations = (
  metric: string,
  buckets: readonly number[],
  { all, slow, above }: SlowOnes,
): Course[] =>
  buckets
    .filter((limit) => limit <= above)
    .map((limit) => ({
      metric: `${metric}_bucket`,
      labels: { le: String(limit) },
      values: grows(all - slow),
    }));

const COUNTED = /_(total|count|sum|bucket)$/;

/** Every series that is counted grows. */
export const growing = (samples: readonly Sample[]): Course[] =>
  samples
    .filter(({ name }) => COUNTED.test(name))
    .map(({ name, labels }) => ({ metric: name, labels, values: grows(1) }));
