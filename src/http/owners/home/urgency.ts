import { type AppLifecycle, oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import { nextLine } from '../../wording/dates/lines.ts';

/** The order in which lists name the apps that need a person: pure functions. */

/** The facts that decide the place of an app in a list. */
export interface Urgency {
  /**
   * Stopped apps come first, then refused apps, then apps that a coming date will end. Apps that need nobody come last.
   */
  rank: 'stopped' | 'refused' | 'ahead' | 'none';
  /** When the app stopped, or the next date that changes a call; `Infinity` without such a time. */
  at: number;
  /** How many tokens or people wait. */
  waiting: number;
  name: string;
}

interface UrgencyInput {
  name: string;
  waiting: number;
  /** When the last connection ended that has to be made again. */
  stoppedAt?: number | undefined;
}

const RANKS: ReadonlyArray<Urgency['rank']> = ['stopped', 'refused', 'ahead', 'none'];

/** The next date that ends something for the app; `Infinity` without such a date. */
function nextEnd(asOf: AppLifecycle): number {
  const line = nextLine(asOf);
  return line && line.changesCalls && !line.isPast ? line.at : Infinity;
}

/**
 * How urgently an app needs a connection. Once the old API has ended for the app, a connection no longer helps.
 */
export function urgencyOf({ name, waiting, stoppedAt }: UrgencyInput, asOf: AppLifecycle): Urgency {
  const { phase, hasOldApi } = oldApiStatusOf(asOf);
  if (waiting === 0 || phase === 'ended') return { rank: 'none', at: Infinity, waiting, name };
  if (stoppedAt !== undefined) return { rank: 'stopped', at: stoppedAt, waiting, name };
  return { rank: hasOldApi ? 'ahead' : 'refused', at: nextEnd(asOf), waiting, name };
}

/** Infinity minus Infinity is not a number. */
const byTime = (one: number, other: number) => (one === other ? 0 : one - other);

/**
 * The most urgent first: by rank, then the longest stopped or the nearest date, then the most tokens, then the name.
 */
function compareUrgency(one: Urgency, other: Urgency): number {
  return (
    RANKS.indexOf(one.rank) - RANKS.indexOf(other.rank) ||
    byTime(one.at, other.at) ||
    other.waiting - one.waiting ||
    one.name.localeCompare(other.name, 'en')
  );
}

/** Sorts a list, the most urgent first. */
export function sortByUrgency<T>(items: readonly T[], urgency: (item: T) => Urgency): T[] {
  return items
    .map((item) => ({ item, place: urgency(item) }))
    .toSorted((one, other) => compareUrgency(one.place, other.place))
    .map(({ item }) => item);
}
