import type { Order } from '../operations/paging.ts';
import type { PostRecord, SortField, SortKey } from './data.ts';

/** What a post without a time sorts by; every time is later. */
const NO_TIME = -1;

/** Newest first where nothing else is asked for. A field that comes again decides nothing and is left out. */
export function effectiveSort(wanted: SortKey[] | null | undefined): SortKey[] {
  const keys = new Map<SortField, SortKey>();
  for (const key of wanted ?? []) if (!keys.has(key.field)) keys.set(key.field, key);
  return keys.size > 0 ? [...keys.values()] : [{ field: 'createdAt', direction: 'desc' }];
}

/** How a list of posts is paged that is sorted like this. */
export const orderOf = (sort: SortKey[]): Order<PostRecord> & { keys: number } => ({
  name: sort.map(({ field, direction }) => `${field} ${direction}`).join(),
  keys: sort.length,
  placeOf: (post) => ({ values: sort.map(({ field }) => post[field] ?? NO_TIME), id: post.id }),
});
