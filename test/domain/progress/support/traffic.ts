import type { ProgressDay } from '../../../../src/domain/progress/progress-of.ts';
import { type Forecast, forecastOf } from '../../../../src/domain/progress/forecast.ts';
import { DAY } from '../../../../src/shared/lifetimes.ts';
import { dayOf } from '../../../../src/shared/moments.ts';
import { chanceOf } from '../../../verification/shared/faults/chance.ts';

/** Simulated traffic: tokens that are connected, revoked and imported day by day, until none waits. */

/** A Monday. */
const FIRST = Date.parse('2026-01-05');
const LONGEST = 6000;

const simulatedDay = (index: number) => dayOf(FIRST + index * DAY);

export type Random = () => number;

/** How many events come by chance in a time in which `mean` are expected (Poisson). */
export function byChance(random: Random, mean: number): number {
  if (mean > 500) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

const normal = (random: Random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

export interface Traffic {
  waiting: number;
  /** How many are connected on a day, of those that wait. */
  connected: (day: { index: number; weekday: number; waiting: number; random: Random }) => number;
  revoked?: (index: number) => number;
  /** Imports, by the index of their day. */
  imported?: Readonly<Record<number, number>>;
  seed?: number;
  /** How many days are simulated at most. */
  lasts?: number;
  /** So many always wait until the first import. */
  least?: number;
}

/** The numbers at the end of each day, up to the day on which none waits any more. */
export function simulate({
  waiting,
  connected,
  revoked = () => 0,
  imported = {},
  seed = 1,
  ...rest
}: Traffic) {
  const { lasts = LONGEST, least = 0 } = rest;
  const firstImport = Math.min(...Object.keys(imported).map(Number));
  const chance = chanceOf(seed, 0);
  const random = () => chance.next();
  const now = { mapped: 7, waiting, migrated: 3, revoked: 1 };
  const days: ProgressDay[] = [];
  for (let index = 0; index < lasts && now.waiting > 0; index++) {
    now.waiting += imported[index] ?? 0;
    const wanted = connected({ index, weekday: index % 7, waiting: now.waiting, random });
    const most = index < firstImport ? now.waiting - least : now.waiting;
    // Negative where more are added than connected.
    const fell = Math.min(most, Math.round(wanted));
    const ended = Math.min(now.waiting - fell, revoked(index));
    now.waiting -= fell + ended;
    now.mapped += Math.max(0, fell);
    now.revoked += ended;
    days.push({ day: simulatedDay(index), ...now });
  }
  return { days, zero: days.length - 1 };
}

/** The forecast as of the end of a day. */
export function forecastAt(
  days: readonly ProgressDay[],
  index: number,
  isCounted: (day: string) => boolean = () => true,
): Forecast {
  return forecastOf(days.slice(0, index + 1), { today: simulatedDay(index), isCounted });
}

/** The index of a forecast day. */
export const indexOf = (day: string) => Math.round((Date.parse(day) - FIRST) / DAY);
