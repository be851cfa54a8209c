import {
  badValue,
  entries,
  FIELD_CODES,
  FieldRefused,
  flag,
  type Pairs,
  wholeNumber,
} from './call-fields.ts';

/** What the old calls for the order of a buffer ask for: `reorder` and `shuffle`. */

/** A buffer with more updates is not put into another order. */
export const LONGEST_QUEUE = 500;

const COUNTS = { least: 1, most: 100_000 };

/** No buffer that is put into another order has a place behind these. */
const OFFSETS = { least: 0, most: LONGEST_QUEUE - 1 };

/** The updates that are to stand one behind the other. */
export interface WantedOrder {
  ids: readonly string[];
  /** The place of the first of them, counted from 0. */
  offset: number;
}

const isUpdateId = (id: string) => /^[0-9a-f]{24}$/i.test(id);

/** Places that are sent in another sequence say two things at once. @throws {FieldRefused} */
function requireSequence(pairs: Pairs): void {
  const places = pairs.flatMap(([name]) => /^order\[(\d+)\]$/.exec(name)?.slice(1).map(Number) ?? []);
  if (places.some((place, index) => index > 0 && place <= (places[index - 1] ?? 0)))
    throw badValue('order', 'gives its places twice, or in another sequence than its values');
}

/** @throws {FieldRefused} */
function orderedIds(pairs: Pairs): string[] {
  const ids = entries(pairs, 'order').map((id) => id.toLowerCase());
  if (ids.length === 0)
    throw new FieldRefused('order', FIELD_CODES.missing, 'The parameter order is missing.');
  if (!ids.every(isUpdateId)) throw badValue('order', 'has to be a list of ids of updates');
  if (ids.length > LONGEST_QUEUE) throw badValue('order', `names more than ${LONGEST_QUEUE} updates`);
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined) throw badValue('order', `names the update ${twice} more than once`);
  requireSequence(pairs);
  return ids;
}

/** What a reorder asks for. @throws {FieldRefused} */
export function reorderFields(pairs: Pairs): WantedOrder & { isUtc: boolean } {
  const isUtc = flag(pairs, 'utc');
  return { ids: orderedIds(pairs), offset: wholeNumber(pairs, 'offset', OFFSETS) ?? 0, isUtc };
}

/** What a shuffle asks for; without a count it is about the whole buffer. @throws {FieldRefused} */
export function shuffleFields(pairs: Pairs): { count: number | undefined; isUtc: boolean } {
  const isUtc = flag(pairs, 'utc');
  return { count: wholeNumber(pairs, 'count', COUNTS), isUtc };
}
