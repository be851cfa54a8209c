const MOST_CHARACTERS = 8 * 1024 * 1024;

/** How many of `room` characters are left behind the JSON of `value`, which is not made; below 0 it does not fit. */
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
 * Whether the data of an answer holds more than 8 MB of text [inferred]. The cost of a query counts fields and not what
 * they say. Only lists reach it: the changes that one request can make answer with less.
 */
export const isTooLarge = (data: unknown): boolean => roomBehind(data, MOST_CHARACTERS) < 0;
