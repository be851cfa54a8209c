const MOST_CHARACTERS = 8 * 1024 * 1024;

/**
 * Subtracts the characters of the keys and strings in `value` from `room`, without making JSON. Below 0: `value` does
 * not fit.
 */
function roomBehind(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length;
  if (typeof value !== 'object' || value === null) return room;
  let left = room;
  for (const [key, part] of Object.entries(value)) {
    left = roomBehind(part, left - key.length);
    if (left < 0) return left;
  }
  return left;
}

/**
 * Whether the data of an answer holds more than 8 MB of text [inferred]. The cost limit counts the fields of a query,
 * not the text in the fields. Only lists reach 8 MB: the mutations that one request can hold answer with less.
 */
export const isTooLarge = (data: unknown): boolean => roomBehind(data, MOST_CHARACTERS) < 0;
