import type { ListOrder } from '../operations/paging.ts';
import type { PostRecord, SortField, SortKey } from './data.ts';

/** The sort value of a post without a time. Every real time is larger. */
const NO_TIME = -1;

/** The sort keys of a list; the default is newest first. A repeated field cannot change the order and is left out. */
export function effectiveSort(wanted: SortKey[] | null | undefined): SortKey[] {
  const keys = new Map<SortField, SortKey>();
  for (const key of wanted ?? []) if (!keys.has(key.field)) keys.set(key.field, key);
  return keys.size > 0 ? [...keys.values()] : [{ field: 'createdAt', direction: 'desc' }];
}

/** The order for paging a list of posts with these sort keys. */
export const orderOf = (sort: SortKey[]): ListOrder<PostRecord> & { keys: number } => ({
  name: sort.map(({ field, direction }) => `${field} ${direction}`).join(),
  keys: sort.length,
  placeOf: (post) => ({ values: sort.map(({ field }) => post[field] ?? NO_TIME), id: post.id }),
});
