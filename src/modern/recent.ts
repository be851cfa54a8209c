import { LRUCache } from 'lru-cache';

/**
 * Keeps one value for each of the `limit` most recently requested names. The least recently requested name is dropped
 * first.
 */
export function createRecent<T extends object>(limit: number, make: () => T): (name: string) => T {
  const known = new LRUCache<string, T>({ max: limit, memoMethod: make });
  return (name) => known.memo(name);
}
