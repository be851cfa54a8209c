import { keyText, type PageKey, type PagePosition, readKey } from '../../../shared/list-pages.ts';
import { wrongCursor } from './history-cursor.ts';

/** The cursors of long lists: the place of the last row of a page. */

/**
 * The page after a cursor; undefined is the first page.
 * @throws {ApiProblem}
 */
export function positionOf(cursor: string | undefined): PagePosition | undefined {
  if (cursor === undefined) return undefined;
  const key = readKey(cursor);
  if (!key) throw wrongCursor();
  return { key, to: 'after' };
}

/** The cursor of the next page; null where no page follows. */
export const cursorOf = (next: PageKey | undefined): string | null => (next ? keyText(next) : null);
