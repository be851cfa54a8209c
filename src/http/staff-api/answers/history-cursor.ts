import { ApiProblem } from '../problems/problems.ts';

/** The cursors of histories: numbers, as texts. */

export const wrongCursor = () =>
  new ApiProblem('invalid-request', 'Nothing was read.', {
    errors: [{ in: 'query', pointer: '/cursor', detail: 'must be the next_cursor of another page' }],
  });

/** The number in a cursor. @throws {ApiProblem} */
export function beforeOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (!/^\d{1,15}$/.test(cursor)) throw wrongCursor();
  return Number(cursor);
}
