import { keyText, type PageKey, type PagePosition, readKey } from '../../../shared/list-pages.ts';
import { wrongCursor } from './history-cursor.ts';
import { HEX_ID } from '../../../shared/ids.ts';

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

/**
 * The id in a cursor of a list in the order of its ids, after which the page begins. A cursor of another form is of another
 * list: the page would begin anywhere or be empty, and a program would miss rows without a word.
 * @throws {ApiProblem}
 */
export function afterId(cursor: string | undefined): string | undefined {
  if (cursor === undefined || HEX_ID.test(cursor)) return cursor;
  throw wrongCursor();
}
