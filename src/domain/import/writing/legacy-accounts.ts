import { rowsWith } from '../../../store/import/import-rows.ts';
import type { Database } from '../../../store/driver/store.ts';

interface AccountReference {
  accountId: string | null;
  email: string | null;
}

/** Translates an account of the file to the account of today. */
export type AccountTranslation = (given: AccountReference) => AccountReference;

/** The ids that the new API has confirmed as its own. For these ids, a pair with an address alone is ignored. */
async function seenAmong(tx: Database, ids: readonly string[]): Promise<Set<string>> {
  const rows = await rowsWith(tx, { table: 'accounts', column: 'account_id' }, ids);
  return new Set(rows.filter(({ email }) => email !== null).map((row) => row.account_id));
}

/**
 * Translates account ids. A legacy id becomes the modern id of its pair, or the e-mail address while the pair has no
 * modern id. An id without a pair is a modern id.
 */
export async function translationOf(tx: Database, ids: Iterable<string | null>): Promise<AccountTranslation> {
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
    // Beside a modern id, the address of the pair adds nothing.
    const ofPair = pair.modern_id === null ? pair.email : null;
    return { accountId: pair.modern_id, email: email ?? ofPair };
  };
}
