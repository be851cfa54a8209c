import type { LiveCallRow } from '../../store/usage/live-calls.ts';
import { writerOf } from './live-id.ts';

/**
 * How far a reader of live calls has come: the last id of each process. With an id for each process, no call is missed
 * or told twice, whichever process writes first. As text, the place is the id of an event; the browser sends the id
 * back after its connection was cut.
 */
export interface LiveCursor {
  /** How many calls were told. */
  told: number;
  /** No call up to this id is told. */
  floor: string;
  /** The id of the last told call of each process. */
  last: ReadonlyMap<string, string>;
}

const ID = /^[0-9a-f]{24}$/;

const COUNT = /^\d{1,9}$/;

/** More processes than this do not share one database. */
const WRITERS_MAX = 64;

/** The place as text: `12-floor-id-id`. */
export function placeText({ told, floor, last }: LiveCursor): string {
  return [told, floor, ...[...last.values()].toSorted().slice(-WRITERS_MAX)].join('-');
}

/** The place that a browser sent. Undefined for a text that is no place: all calls are told from the beginning then. */
export function readPlace(text: string | undefined): LiveCursor | undefined {
  const [told = '', floor = '', ...ids] = (text ?? '').split('-');
  if (!COUNT.test(told) || ![floor, ...ids].every((id) => ID.test(id)) || ids.length > WRITERS_MAX)
    return undefined;
  return { told: Number(told), floor, last: new Map(ids.map((id) => [writerOf(id), id])) };
}

/** The calls (the newest first) that were not told yet, and the place after these calls. */
export function tellFrom(
  place: LiveCursor,
  calls: readonly LiveCallRow[],
): { fresh: LiveCallRow[]; place: LiveCursor } {
  const fresh = calls.filter(({ id }) => id > place.floor && id > (place.last.get(writerOf(id)) ?? ''));
  const last = new Map(place.last);
  for (const { id } of fresh.toReversed()) last.set(writerOf(id), id);
  return { fresh, place: { ...place, told: place.told + fresh.length, last } };
}
