import type { StaffRole } from '../tables/page-tables.ts';
import type { Database } from '../driver/store.ts';

/** The members of support (staff) and their roles. */

/** The role of an account; undefined when the account is not staff. */
export async function findRole(db: Database, accountId: string): Promise<StaffRole | undefined> {
  const row = await db
    .selectFrom('staff')
    .select('role')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.role;
}

/** Gives an account a role, or changes its role. */
export async function keepRole(
  tx: Database,
  row: { account_id: string; role: StaffRole; added_by: string; added_at: number },
): Promise<void> {
  const { account_id: _id, ...changes } = row;
  await tx
    .insertInto('staff')
    .values(row)
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(changes))
    .execute();
}

/** Takes the role of an account away; returns the old role. */
export async function deleteRole(tx: Database, accountId: string): Promise<StaffRole | undefined> {
  const row = await tx
    .deleteFrom('staff')
    .where('account_id', '=', accountId)
    .returning('role')
    .executeTakeFirst();
  return row?.role;
}

/** All staff with what the new API last reported of the account, by name. */
export async function listStaff(db: Database) {
  return db
    .selectFrom('staff')
    .leftJoin('accounts', 'accounts.account_id', 'staff.account_id')
    .selectAll('staff')
    .select(['accounts.name', 'accounts.email'])
    .orderBy('accounts.name')
    .orderBy('staff.account_id')
    .execute();
}
