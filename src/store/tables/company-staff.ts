import type { ColumnType } from 'kysely';
import type { StaffRole } from './page-tables.ts';

type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>;

/** The members of staff who signed in at the identity provider of the operator. */
interface CompanyStaffTable {
  /** `company:ISSUER#SUBJECT`, as in the history. */
  actor: string;
  issuer: string;
  subject: string;
  name: Nullable<string>;
  email: Nullable<string>;
  /** The role at the last sign-in. It gives no access. */
  role: StaffRole;
  first_signed_in_at: number;
  signed_in_at: number;
}

/** The durable database. */
export interface CompanyStaffTables {
  company_staff: CompanyStaffTable;
}
