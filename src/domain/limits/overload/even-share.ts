/**
 * The most calls of each app, so that all together make `room`: an app that makes fewer leaves the rest to the others.
 * Infinity where all calls find room.
 */
export function evenShare(calls: Iterable<number>, room: number): number {
  const fewestFirst = [...calls].toSorted((one, other) => one - other);
  let left = room;
  for (const [index, number] of fewestFirst.entries()) {
    const share = left / (fewestFirst.length - index);
    if (number > share) return share;
    left -= number;
  }
  return Number.POSITIVE_INFINITY;
}
