import { rowsWith } from '../../store/import-rows.ts';
import type { Database } from '../../store/store.ts';

interface Named {
  accountId: string | null;
  email: string | null;
}

/** Answers who an account of the file is now. */
export type Translate = (given: Named) => Named;

/**
 * Whom the ids of accounts stand for: the modern id that is paired with a legacy one, or the e-mail address where only
 * that is known of it; an id without a pair is a modern one.
 */
export async function translationOf(tx: Database, ids: Iterable<string | null>): Promise<Translate> {
  const given = [...ids].filter((id) => id !== null);
  const rows = await rowsWith(tx, { table: 'id_pairs', column: 'legacy_id' }, given);
  const pairs = new Map(rows.filter(({ kind }) => kind === 'account').map((row) => [row.legacy_id, row]));
  return ({ accountId, email }) => {
    const pair = accountId === null ? undefined : pairs.get(accountId);
    return pair ? { accountId: pair.modern_id, email: email ?? pair.email } : { accountId, email };
  };
}
