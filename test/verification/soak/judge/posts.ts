import { Sqlite } from '../../../../src/shared/sqlite.ts';
import { faultsOf } from '../../../posts/support/writes-under-faults.ts';
import type { Violation } from '../../shared/checker/checker.ts';
import type { WriteBook } from '../callers/writes.ts';
import type { Ledger } from '../ledger.ts';

/** Whether each post is there once, and its caller was told so. */

/** The ids of the posts in the new API's own database, by text. */
function idsByText(file: string): Map<string, string[]> {
  const db = new Sqlite(file, { readonly: true, fileMustExist: true });
  const rows = db
    .prepare<[], { id: string; text: string }>(`select id, document ->> '$.text' as text from posts`)
    .all();
  db.close();
  const ids = new Map<string, string[]>();
  for (const { id, text } of rows) ids.set(text, [...(ids.get(text) ?? []), id]);
  return ids;
}

/** A doubt that nothing has caused is a fault of the bridge. */
function causeless({ doubts }: WriteBook, { troubles }: Pick<Ledger, 'troubles'>): Violation[] {
  const found = doubts.filter((at) => !troubles.some(({ from, until }) => from <= at && at <= until));
  return found.map((at) => ({
    invariant: 'posts',
    text: `a write was in doubt at ${at} while nothing was wrong`,
  }));
}

export function judgePosts(writes: WriteBook, file: string, ledger: Pick<Ledger, 'troubles'>): Violation[] {
  const told = writes.told.filter(({ text }) => !writes.destroyed.has(text));
  const ids = idsByText(file);
  const wrong = faultsOf(told, ids, 1).map((text) => ({ invariant: 'posts', text }));
  const there = [...writes.gone].filter((text) => ids.has(text));
  const lies = there.map((text) => ({
    invariant: 'posts',
    text: `“${text}” was told to be gone and is there`,
  }));
  return [...wrong, ...lies, ...causeless(writes, ledger)];
}
