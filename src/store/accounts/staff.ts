import type { StaffRole } from '../tables/page-tables.ts';
import type { Database } from '../driver/store.ts';

/** Who may look after the tokens of others. */

/** The role of an account; undefined of one that is not of the staff. */
export async function findRole(db: Database, accountId: string): Promise<StaffRole | undefined> {
  const row = await db
    .selectFrom('staff')
    .select('role')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.role;
}

/** Gives an account a role, or another one. */
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

/** Takes the role of an account away; answers the one that it had. */
export async function deleteRole(tx: Database, accountId: string): Promise<StaffRole | undefined> {
  const row = await tx
    .deleteFrom('staff')
    .where('account_id', '=', accountId)
    .returning('role')
    .executeTakeFirst();
  return row?.role;
}

/** Everybody of the staff with what the modern side last said of the account, by name. */
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
