import { Refusal } from '../../shared/refusals/refusal.ts';
import type { Database } from '../../store/driver/store.ts';
import { firstChainedAfter, readLink } from '../../store/history/events.ts';
import type { ChainedEntry } from './locate-tampering.ts';

/**
 * Reads the history as it grows, in the order of the chain. Entries commit in any order of their ids, and an id is no
 * place to go on from: a smaller id may become visible later. A position is given to committed entries alone, one after
 * the other, so nothing is ever added before a position that was read (seal-history.ts).
 */

/** A place in the chain: after the entry at this position. */
export interface ChainCursor {
  position: number;
  /** The chain's value there; undefined where the reader was given the position alone. */
  chain: string | undefined;
}

/** The place is not in this history: a reader that went on there would leave entries out. */
export class CursorRefused extends Refusal {}

/**
 * The place with the chain's value there, so that another entry in its stead is noticed later.
 * @throws {CursorRefused}
 */
export async function requireCursor(db: Database, { position, chain }: ChainCursor): Promise<ChainCursor> {
  if (position === 0) return { position, chain };
  const link = await readLink(db, position);
  if (!link)
    throw new CursorRefused(
      `The history has no entry at position ${position}: the position is of another database, the database was replaced by a backup, or entries were removed. Check with: grantbridge history verify`,
    );
  if (chain !== undefined && link.chain !== chain)
    throw new CursorRefused(
      `The entry at position ${position} is another one than before: the database was replaced by a backup, or entries were changed. Check with: grantbridge history verify`,
    );
  return link;
}

/**
 * The next entries after a place, at most a page.
 * @throws {CursorRefused}
 */
export async function readAfter(db: Database, cursor: ChainCursor): Promise<ChainedEntry[]> {
  await requireCursor(db, cursor);
  const page = await firstChainedAfter(db, cursor.position);
  // A number beyond 2^53 may come back rounded to the same value, without end.
  return page.filter(({ position }) => position > cursor.position);
}

/** The place after an entry. */
export const cursorAt = ({ position, chain }: ChainedEntry): ChainCursor => ({
  position,
  chain: chain ?? undefined,
});
