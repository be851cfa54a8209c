/**
 * The fewest moves that bring a queue into another order. The new API moves a post to the top or to the bottom and nowhere
 * else, so that the posts that stay must stand side by side in the new order, and in the same order as now.
 */

export interface Move {
  id: string;
  position: 'top' | 'bottom';
}

/** The longest part of the new order whose places in the old one rise: its first index, and the one behind its last. */
function longestRise(places: readonly number[]): [from: number, to: number] {
  let longest: [number, number] = [0, 0];
  let from = 0;
  for (let index = 1; index <= places.length; index += 1) {
    const isRising = index < places.length && (places[index] ?? 0) > (places[index - 1] ?? 0);
    if (isRising) continue;
    if (index - from > longest[1] - longest[0]) longest = [from, index];
    from = index;
  }
  return longest;
}

/** The moves that turn `current` into `target`, which has the same posts, one after the other. */
export function planMoves(current: readonly string[], target: readonly string[]): Move[] {
  const placeOf = new Map(current.map((id, place) => [id, place]));
  const [from, to] = longestRise(target.map((id) => placeOf.get(id) ?? -1));
  const top = target.slice(0, from).toReversed();
  return [
    ...top.map((id): Move => ({ id, position: 'top' })),
    ...target.slice(to).map((id): Move => ({ id, position: 'bottom' })),
  ];
}
