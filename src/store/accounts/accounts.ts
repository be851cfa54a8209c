import type { Database } from '../driver/store.ts';
import type { Account } from '../tables/tables.ts';

/** Keeps what the new API last reported of an account; returns whether anything changed. */
export async function upsertAccount(tx: Database, account: Account): Promise<boolean> {
  const { account_id: _id, ...changes } = account;
  const row = await tx
    .insertInto('accounts')
    .values(account)
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet(changes)
        .where((eb) =>
          eb.or([
            eb('accounts.email', 'is distinct from', eb.ref('excluded.email')),
            eb('accounts.name', 'is distinct from', eb.ref('excluded.name')),
            eb('accounts.timezone', 'is distinct from', eb.ref('excluded.timezone')),
          ]),
        ),
    )
    .returning('account_id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Adds an account of which only the id is known. The new API reports the rest at the first consent. Returns whether the
 * account is new.
 */
export async function ensureAccount(tx: Database, accountId: string, now: number): Promise<boolean> {
  const account = { account_id: accountId, updated_at: now };
  const inserted = await tx
    .insertInto('accounts')
    .values(account)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

/** The address that the new API last reported of an account; null where none is known. */
export async function findAddressOf(db: Database, accountId: string): Promise<string | null> {
  const query = db.selectFrom('accounts').select('email').where('account_id', '=', accountId);
  return (await query.executeTakeFirst())?.email ?? null;
}
