import type { Insertable, Selectable } from 'kysely';
import type { CompanyStaffTables } from '../tables/company-staff.ts';
import type { Database } from '../driver/store.ts';
import { isOneOf } from '../driver/many-rows.ts';

/** The members of staff who signed in at the identity provider of the operator. */

type CompanyStaffRow = Selectable<CompanyStaffTables['company_staff']>;

/** Keeps who signed in, and what the provider said of the person this time. */
export async function keepCompanyStaff(
  tx: Database,
  row: Insertable<CompanyStaffTables['company_staff']>,
): Promise<void> {
  const { actor: _actor, first_signed_in_at: _first, ...changes } = row;
  await tx
    .insertInto('company_staff')
    .values(row)
    .onConflict((conflict) => conflict.column('actor').doUpdateSet(changes))
    .execute();
}

/** What is known of these actors of the history. */
export async function companyStaffNamed(db: Database, actors: readonly string[]): Promise<CompanyStaffRow[]> {
  if (actors.length === 0) return [];
  return db
    .selectFrom('company_staff')
    .selectAll()
    .where(isOneOf(db, 'actor', actors))
    .execute();
}

/** Everybody who ever signed in there, the last sign-in first. */
export async function listCompanyStaff(db: Database, limit: number): Promise<CompanyStaffRow[]> {
  return db
    .selectFrom('company_staff')
    .selectAll()
    .orderBy('signed_in_at', 'desc')
    .orderBy('actor')
    .limit(limit)
    .execute();
}
