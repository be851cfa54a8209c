import {
  badValue,
  entries,
  FIELD_CODES,
  FieldRefused,
  flag,
  type FieldPairs,
  wholeNumber,
} from './call-fields.ts';
import { isUpdateId } from './update-id.ts';

/** The parameters of the old calls that change the order of a buffer: `reorder` and `shuffle`. */

/** The order of a buffer with more updates cannot be changed. */
export const LONGEST_QUEUE = 500;

const COUNTS = { least: 1, most: 100_000 };

/** A buffer whose order can be changed has no later places. */
const OFFSETS = { least: 0, most: LONGEST_QUEUE - 1 };

/** The updates that should follow one another. */
export interface WantedOrder {
  ids: readonly string[];
  /** The place of the first of these updates, counted from 0. */
  offset: number;
}

/** An index that contradicts the sequence of the values is ambiguous. @throws {FieldRefused} */
function requireSequence(pairs: FieldPairs): void {
  const places = pairs.flatMap(([name]) => /^order\[(\d+)\]$/.exec(name)?.slice(1).map(Number) ?? []);
  if (places.some((place, index) => index > 0 && place <= (places[index - 1] ?? 0)))
    throw badValue('order', 'gives its places twice, or in another sequence than its values');
}

/** @throws {FieldRefused} */
function orderedIds(pairs: FieldPairs): string[] {
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

/** The parameters of a reorder. @throws {FieldRefused} */
export function reorderFields(pairs: FieldPairs): WantedOrder & { isUtc: boolean } {
  const isUtc = flag(pairs, 'utc');
  return { ids: orderedIds(pairs), offset: wholeNumber(pairs, 'offset', OFFSETS) ?? 0, isUtc };
}

/** The parameters of a shuffle. `count` is the number of updates in the answer, from the top. @throws {FieldRefused} */
export function shuffleFields(pairs: FieldPairs): { count: number | undefined; isUtc: boolean } {
  const isUtc = flag(pairs, 'utc');
  return { count: wholeNumber(pairs, 'count', COUNTS), isUtc };
}
