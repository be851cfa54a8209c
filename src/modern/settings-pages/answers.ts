/**
 * Keeps the answers of forms that create something, for the time of a double click. The browser shows only the answer
 * to the second request of a double click. Without this memory, a new key or secret in the first answer would be lost.
 */
import { LRUCache } from 'lru-cache';
import { CREATED_PAGE_SECONDS } from '../lifetimes.ts';

/** A page takes about 5 kB. */
const MOST = 1000;

/** Pages by name. The pages stay in memory alone, because pages contain secrets. */
export function createAnswers() {
  // A page contains a secret, so it leaves the memory at its end, and not at the next look.
  const pages = new LRUCache<string, string>({
    max: MOST,
    ttl: CREATED_PAGE_SECONDS * 1000,
    ttlAutopurge: true,
  });
  return {
    find: (name: string): string | undefined => pages.get(name),
    keep: (name: string, page: string): void => void pages.set(name, page),
  };
}

export type CreatedPages = ReturnType<typeof createAnswers>;
