import type { LiveCallRow } from '../../store/usage/live-calls.ts';
import { writerOf } from './live-id.ts';

/**
 * How far a reader of live calls has come: the last id of each process, so that none is missed and none is told twice,
 * whichever of two processes was the first to write. As a text it is the id of an event, and comes back from the browser
 * after its connection was cut.
 */
export interface Place {
  /** How many were told. */
  told: number;
  /** Nothing up to this id is told. */
  floor: string;
  /** The last id of each process that was told. */
  last: ReadonlyMap<string, string>;
}

const ID = /^[0-9a-f]{24}$/;

const COUNT = /^\d{1,9}$/;

/** More processes than that do not stand on one database. */
const WRITERS_MAX = 64;

/** `12-floor-id-id`. */
export function placeText({ told, floor, last }: Place): string {
  return [told, floor, ...[...last.values()].toSorted().slice(-WRITERS_MAX)].join('-');
}

/** What a browser sent; undefined where it is none, and everything is told from the beginning. */
export function readPlace(text: string | undefined): Place | undefined {
  const [told = '', floor = '', ...ids] = (text ?? '').split('-');
  if (!COUNT.test(told) || ![floor, ...ids].every((id) => ID.test(id)) || ids.length > WRITERS_MAX)
    return undefined;
  return { told: Number(told), floor, last: new Map(ids.map((id) => [writerOf(id), id])) };
}

/** Which of these calls (the newest first) were not told yet, and the place behind them. */
export function tellFrom(
  place: Place,
  calls: readonly LiveCallRow[],
): { fresh: LiveCallRow[]; place: Place } {
  const fresh = calls.filter(({ id }) => id > place.floor && id > (place.last.get(writerOf(id)) ?? ''));
  const last = new Map(place.last);
  for (const { id } of fresh.toReversed()) last.set(writerOf(id), id);
  return { fresh, place: { ...place, told: place.told + fresh.length, last } };
}
