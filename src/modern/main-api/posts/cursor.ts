import { badInput, type Page, type PageArguments, type Position, readPage } from '../paging.ts';
import type { Place, PostRecord, SortField, SortKey } from './data.ts';

/** What a post without a time sorts by; every time is later. */
const NO_TIME = -1;

const signatureOf = (sort: SortKey[]) => sort.map(({ field, direction }) => `${field} ${direction}`).join();

/** Newest first where nothing else is asked for. A field that comes again decides nothing and is left out. */
export function effectiveSort(wanted: SortKey[] | null | undefined): SortKey[] {
  const keys = new Map<SortField, SortKey>();
  for (const key of wanted ?? []) if (!keys.has(key.field)) keys.set(key.field, key);
  return keys.size > 0 ? [...keys.values()] : [{ field: 'createdAt', direction: 'desc' }];
}

/** Where a post stands in a list of this order, for its cursor. */
export const positionIn =
  (sort: SortKey[]) =>
  (post: PostRecord): Position => [
    signatureOf(sort),
    ...sort.map(({ field }) => post[field] ?? NO_TIME),
    post.id,
  ];

/** A cursor may say anything; only whole numbers are compared with times. */
const isPlace = (position: Position, sort: SortKey[]): boolean =>
  position[0] === signatureOf(sort) && position.slice(1, -1).every((value) => Number.isSafeInteger(value));

const placeOf = (position: Position): Place => ({
  values: position.slice(1, -1).map(Number),
  id: String(position.at(-1)),
});

/** @throws {GraphQLError} BAD_USER_INPUT as `readPage`, and for a cursor from a list in another order */
export function readPostPage(
  page: PageArguments,
  sort: SortKey[],
): { size: Page['size']; after: Place | undefined } {
  const { size, after } = readPage(page, sort.length + 2);
  if (!after) return { size, after: undefined };
  if (!isPlace(after, sort)) throw badInput('The cursor in "after" comes from a list in another order');
  return { size, after: placeOf(after) };
}
