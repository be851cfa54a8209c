import { rowsWith } from '../../../store/import/import-rows.ts';
import type { Database } from '../../../store/driver/store.ts';

interface Named {
  accountId: string | null;
  email: string | null;
}

/** Answers who an account of the file is now. */
export type Translate = (given: Named) => Named;

/** Ids that the modern side was seen to know: an address beside one says nothing of it. */
async function seenAmong(tx: Database, ids: readonly string[]): Promise<Set<string>> {
  const rows = await rowsWith(tx, { table: 'accounts', column: 'account_id' }, ids);
  return new Set(rows.filter(({ email }) => email !== null).map((row) => row.account_id));
}

/**
 * Whom the ids of accounts stand for: the modern id that is paired with a legacy one, or the e-mail address where only
 * that is known of it; an id without a pair is a modern one.
 */
export async function translationOf(tx: Database, ids: Iterable<string | null>): Promise<Translate> {
  const given = [...ids].filter((id) => id !== null);
  const rows = await rowsWith(tx, { table: 'id_pairs', column: 'legacy_id' }, given);
  const pairs = new Map(rows.filter(({ kind }) => kind === 'account').map((row) => [row.legacy_id, row]));
  const unpaired = [...pairs.values()].filter(({ modern_id }) => modern_id === null);
  const seen = await seenAmong(
    tx,
    unpaired.map((pair) => pair.legacy_id),
  );
  return ({ accountId, email }) => {
    const pair = accountId === null || seen.has(accountId) ? undefined : pairs.get(accountId);
    if (!pair) return { accountId, email };
    // Beside an id it says nothing more.
    const ofPair = pair.modern_id === null ? pair.email : null;
    return { accountId: pair.modern_id, email: email ?? ofPair };
  };
}
