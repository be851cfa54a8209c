/**
 * The answers of forms that create something, for as long as a double click takes: of its two requests the browser shows
 * the answer to the second, and a new key or secret would be lost with the first.
 */
import { CREATED_PAGE_SECONDS } from '../lifetimes.ts';

/** A page has about 5 kB. */
const MOST = 1000;

/** Pages by name, in memory alone, because they contain secrets. */
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

export type Answers = ReturnType<typeof createAnswers>;
