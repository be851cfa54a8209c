import type { ChainCursor } from '../../../domain/history/follow-history.ts';
import { ApiProblem } from '../problems/problems.ts';

/** The cursors of histories: numbers, as texts; of the whole history with the chain's value there. */

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

/** A key id, a dot and the value, as every chain value is written. */
const CHAIN_CURSOR = /^(\d{1,15})(?:-([\w.-]{1,200}))?$/;

/**
 * The place that a cursor of the whole history names. A bare position, as the lines of `history export` have it, is taken
 * too; nobody can tell then whether the history is still the one that was read.
 * @throws {ApiProblem}
 */
export function placeOf(cursor: string | undefined): ChainCursor {
  if (cursor === undefined) return { position: 0, chain: undefined };
  const [, position, chain] = CHAIN_CURSOR.exec(cursor) ?? [];
  if (position === undefined) throw wrongCursor();
  return { position: Number(position), chain };
}

/** The cursor of a place. */
export const historyCursorText = ({ position, chain }: ChainCursor): string =>
  chain ? `${position}-${chain}` : String(position);
