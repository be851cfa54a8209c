import { type AsOf, footingOf, nextLine } from '../../wording/dates/lines.ts';

/** In which order lists name the apps that need a person: pure functions. */

/** What the place of an app in a list depends on. */
export interface Urgency {
  /** What has stopped is first, then what is refused, then what a date is to end; what needs nobody is last. */
  rank: 'stopped' | 'refused' | 'ahead' | 'none';
  /** Since when it has stopped, or the next date that changes a call; `Infinity` where there is none. */
  at: number;
  /** How many tokens or people wait. */
  waiting: number;
  name: string;
}

interface Waiting {
  name: string;
  waiting: number;
  /** When its last connection ended that has to be made again. */
  stoppedAt?: number | undefined;
}

const RANKS: ReadonlyArray<Urgency['rank']> = ['stopped', 'refused', 'ahead', 'none'];

/** The date that is next to end something of the app. */
function nextEnd(asOf: AsOf): number {
  const line = nextLine(asOf);
  return line && line.changesCalls && !line.isPast ? line.at : Infinity;
}

/** How urgently an app needs somebody to connect it; once the old API has ended for it no connection helps. */
export function urgencyOf({ name, waiting, stoppedAt }: Waiting, asOf: AsOf): Urgency {
  const { phase, hasOldApi } = footingOf(asOf);
  if (waiting === 0 || phase === 'ended') return { rank: 'none', at: Infinity, waiting, name };
  if (stoppedAt !== undefined) return { rank: 'stopped', at: stoppedAt, waiting, name };
  return { rank: hasOldApi ? 'ahead' : 'refused', at: nextEnd(asOf), waiting, name };
}

/** Infinity less itself is no number. */
const byTime = (one: number, other: number) => (one === other ? 0 : one - other);

/** The most urgent first: by what is wrong, then the longest stopped or the nearest date, the most tokens, the name. */
function compareUrgency(one: Urgency, other: Urgency): number {
  return (
    RANKS.indexOf(one.rank) - RANKS.indexOf(other.rank) ||
    byTime(one.at, other.at) ||
    other.waiting - one.waiting ||
    one.name.localeCompare(other.name, 'en')
  );
}

/** A list in that order. */
export function byUrgency<T>(items: readonly T[], urgency: (item: T) => Urgency): T[] {
  return items
    .map((item) => ({ item, place: urgency(item) }))
    .toSorted((one, other) => compareUrgency(one.place, other.place))
    .map(({ item }) => item);
}
