import { MOST_MOVES } from './most-moves.ts';

/** Draws the order of a shuffle. */

/** A number from 0 to below 1. */
type Chance = () => number;

/** Draws `count` items: the beginning of a shuffle of all items. */
function draw(items: readonly string[], count: number, chance: Chance): string[] {
  const left = [...items];
  return Array.from({ length: count }, () => left.splice(Math.floor(chance() * left.length), 1)).flat();
}

/**
 * The posts at the top after a shuffle. The other posts follow in their present order. A queue that is short enough for
 * the moves of one call is drawn as a whole.
 */
export function drawOrder(ids: readonly string[], chance: Chance): string[] {
  const isSmall = ids.length <= MOST_MOVES + 1;
  return draw(ids, isSmall ? ids.length : MOST_MOVES, chance);
}
