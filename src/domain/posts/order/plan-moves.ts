/**
 * Plans the fewest moves to another order. The new API moves a post only to the top or to the bottom. Therefore the
 * posts that are not moved must stand side by side in the new order, in their present sequence.
 */

export interface Move {
  id: string;
  position: 'top' | 'bottom';
}

/** The longest part of the new order with rising old places: its first index, and the index after its last. */
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

/** The moves from `current` to `target`, one after the other. Both have the same posts. */
export function planMoves(current: readonly string[], target: readonly string[]): Move[] {
  const placeOf = new Map(current.map((id, place) => [id, place]));
  const [from, to] = longestRise(target.map((id) => placeOf.get(id) ?? -1));
  const top = target.slice(0, from).toReversed();
  return [
    ...top.map((id): Move => ({ id, position: 'top' })),
    ...target.slice(to).map((id): Move => ({ id, position: 'bottom' })),
  ];
}
