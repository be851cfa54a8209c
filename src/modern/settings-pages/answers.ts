/**
 * Keeps the answers of forms that create something, for the time of a double click. The browser shows only the answer
 * to the second request of a double click. Without this memory, a new key or secret in the first answer would be lost.
 */
import { CREATED_PAGE_SECONDS } from '../lifetimes.ts';

/** A page takes about 5 kB. */
const MOST = 1000;

/** Pages by name. The pages stay in memory alone, because they contain secrets. */
export function createAnswers() {
  const pages = new Map<string, string>();
  return {
    find: (name: string): string | undefined => pages.get(name),
    keep(name: string, page: string): void {
      const [oldest] = pages.keys();
      if (oldest !== undefined && pages.size >= MOST) pages.delete(oldest);
      pages.set(name, page);
      setTimeout(() => pages.delete(name), CREATED_PAGE_SECONDS * 1000).unref();
    },
  };
}

export type CreatedPages = ReturnType<typeof createAnswers>;
