import { rowsWith } from '../../../store/import/import-rows.ts';
import type { Database } from '../../../store/driver/store.ts';
import { normalEmail } from '../../../shared/mail/address.ts';
import type { EmailLookup, Owner } from './owners.ts';

/**
 * The account ids of tokens and apps that one claim names by an account id, and another claim by an address alone. For
 * the other tokens and apps, no address decides anything.
 */
function disputedIds(claims: Iterable<readonly [key: string, owner: Owner]>): Set<string> {
  const first = new Map<string, Owner>();
  const ids = new Set<string>();
  for (const [key, owner] of claims) {
    const earlier = first.get(key);
    if (!earlier) first.set(key, owner);
    else if ((earlier.accountId === null) !== (owner.accountId === null))
      ids.add(owner.accountId ?? earlier.accountId ?? '');
  }
  return ids;
}

/**
 * The addresses of accounts by the new API and by the id pairs, for the accounts whose claims have to be compared by
 * address.
 */
export async function emailsFor(
  tx: Database,
  claims: Iterable<readonly [key: string, owner: Owner]>,
): Promise<EmailLookup> {
  const ids = disputedIds(claims);
  const emails = new Map<string, string[]>();
  if (ids.size > 0) {
    const accounts = await rowsWith(tx, { table: 'accounts', column: 'account_id' }, ids);
    const pairs = await rowsWith(tx, { table: 'id_pairs', column: 'modern_id' }, ids);
    const said = [
      ...accounts.map(({ account_id: id, email }) => ({ id, email })),
      ...pairs.map(({ kind, modern_id, email }) => ({ id: kind === 'account' ? modern_id : null, email })),
    ];
    for (const { id, email } of said)
      if (id !== null && email !== null) emails.set(id, [...(emails.get(id) ?? []), normalEmail(email)]);
  }
  return (accountId) => emails.get(accountId) ?? [];
}
