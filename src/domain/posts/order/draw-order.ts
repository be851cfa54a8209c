import { MOST_MOVES } from './most-moves.ts';

/** The order that a shuffle brings. */

/** A number from 0 to below 1. */
type Chance = () => number;

/** Draws some of the items: what stands first when all of them are shuffled. */
function draw(items: readonly string[], count: number, chance: Chance): string[] {
  const left = [...items];
  return Array.from({ length: count }, () => left.splice(Math.floor(chance() * left.length), 1)).flat();
}

/**
 * The posts at the top after a shuffle; the others follow as they stand. A queue that the moves of one call can bring into
 * any order is drawn as a whole. `count` is how many the caller wants to see.
 */
export function drawOrder(
  ids: readonly string[],
  { count, chance }: { count: number | undefined; chance: Chance },
): string[] {
  const isSmall = ids.length <= MOST_MOVES + 1;
  const most = isSmall ? ids.length : MOST_MOVES;
  return draw(ids, Math.min(count ?? most, most), chance);
}
