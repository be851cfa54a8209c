/** The pages of a long list: where one begins, and which rows stand on it. Pure functions. */

/** The place of a row in its list: by `rank`, and among equal ranks by `id`. */
export interface PageKey {
  rank: number;
  id: string;
}

/** The page after a row, or the page before it. Undefined is the first page. */
export interface PagePosition {
  key: PageKey;
  to: 'after' | 'back';
}

export type PageOrder = 'rising' | 'falling';

/** Rows of one page. */
export const PAGE_ROWS = 50;

/** The ends of a page, by which its neighbours are asked for. Undefined where no page follows. */
export interface PageEnds {
  previous: PageKey | undefined;
  next: PageKey | undefined;
}

/** Ranks are whole numbers: a database compares them with its own. */
const KEY = /^(-?\d{1,16})_(.{1,200})$/;

/** A key as an address names it. */
export const keyText = ({ rank, id }: PageKey): string => `${rank}_${id}`;

/** The key that an address names; undefined where the text is none. */
export function readKey(text: string): PageKey | undefined {
  const [, rank, id] = KEY.exec(text) ?? [];
  return rank === undefined || id === undefined ? undefined : { rank: Number(rank), id };
}

/** The order of two keys. */
export function compareKeys(order: PageOrder): (one: PageKey, other: PageKey) => number {
  const sign = order === 'rising' ? 1 : -1;
  return (one, other) =>
    sign * (one.rank - other.rank || (one.id < other.id ? -1 : Number(one.id > other.id)));
}

export interface KeyPage<Key> extends PageEnds {
  keys: Key[];
}

/**
 * A page out of the keys that follow a position, read one further than a page holds. Keys before a position come in the
 * reversed order, the nearest first.
 */
export function pageFrom<Key extends PageKey>(
  read: readonly Key[],
  position: PagePosition | undefined,
): KeyPage<Key> {
  const isMore = read.length > PAGE_ROWS;
  const nearest = read.slice(0, PAGE_ROWS);
  const isBack = position?.to === 'back';
  const keys = isBack ? nearest.toReversed() : nearest;
  const hasPrevious = isBack ? isMore : position !== undefined;
  return {
    keys,
    previous: hasPrevious ? keys[0] : undefined,
    next: isBack || isMore ? keys.at(-1) : undefined,
  };
}

/** The keys that follow a position in a whole list, which is in order; one further than a page holds. */
export function keysFrom<Key extends PageKey>(
  sorted: readonly Key[],
  position: PagePosition | undefined,
  order: PageOrder,
): Key[] {
  if (position === undefined) return sorted.slice(0, PAGE_ROWS + 1);
  const compare = compareKeys(order);
  const { key, to } = position;
  if (to === 'after') return sorted.filter((one) => compare(one, key) > 0).slice(0, PAGE_ROWS + 1);
  return sorted
    .filter((one) => compare(one, key) < 0)
    .toReversed()
    .slice(0, PAGE_ROWS + 1);
}
