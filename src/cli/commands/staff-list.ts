import { hasLocalStaff } from '../../domain/accounts/company-staff.ts';
import type { Context } from '../../domain/context.ts';
import { listCompanyStaff } from '../../store/accounts/company-staff.ts';
import { listStaff } from '../../store/accounts/staff.ts';
import { printable, shown } from './dates/moment-option.ts';
import type { Result } from './result.ts';
import { withContext } from './with-context.ts';

/**
 * `staff list`: every account with a role, and everybody who came by the provider of the company. The provider says at each
 * sign-in who has which role, so nobody here knows who may come.
 */

const NONE = 'No account is support staff yet. To add one: grantbridge staff add ACCOUNT --role lead';

/** Where staff sign in by the company, an account with a role is the exception. */
const NO_ACCOUNT = 'No account of the new API is support staff.';

const NO_ACCESS_NOW =
  'These accounts have no access now: staff sign in by the company (STAFF_OIDC_ISSUER), and STAFF_OIDC_ALSO_LOCAL is off.';

/** Enough for the staff of every company; nobody reads further. */
const COMPANY_SHOWN = 500;

type Settings = Pick<Context['settings'], 'company'>;

const isSameProvider = (one: string, other: string) => new URL(one).href === new URL(other).href;

/** The people of the company, with the role that their last sign-in gave. */
async function companyStaff({ store, settings }: Pick<Context, 'store' | 'settings'>) {
  const rows = await listCompanyStaff(store.durable, COMPANY_SHOWN + 1);
  return rows.map((row) => ({
    issuer: row.issuer,
    subject: row.subject,
    role: row.role,
    name: row.name,
    email: row.email,
    first_signed_in_at: shown(row.first_signed_in_at),
    signed_in_at: shown(row.signed_in_at),
    provider_is_set: settings.company !== undefined && isSameProvider(settings.company.issuer, row.issuer),
  }));
}

type CompanyStaff = Awaited<ReturnType<typeof companyStaff>>[number];

const calledBy = (...names: Array<string | null>) => names.filter(Boolean).join(', ');

function companyLine(person: CompanyStaff): string {
  const { issuer, subject, role, name, email, signed_in_at: at, provider_is_set: isSet } = person;
  const end = isSet ? '' : '  no access now: this provider is not set (STAFF_OIDC_ISSUER)';
  return `${subject} at ${issuer}  ${role.padEnd(6)}  ${calledBy(name, email)}  last signed in ${at}${end}`;
}

/** What is known of the people of the company, and what is not. */
function companyLines({ company }: Settings, people: readonly CompanyStaff[]): string[] {
  const lines = people.slice(0, COMPANY_SHOWN).map(companyLine).map(printable);
  if (people.length > COMPANY_SHOWN) lines.push(`Only the ${COMPANY_SHOWN} who signed in last are shown.`);
  if (!company) return lines;
  const begin = `Staff sign in by the company, at ${company.issuer}. The provider decides at each sign-in who is staff, so this list cannot know who may sign in.`;
  const rest =
    people.length === 0 ? 'Nobody has signed in yet.' : 'Who did, with the role of the last sign-in:';
  return [`${begin} ${rest}`, ...lines];
}

async function accountStaff({ store }: Pick<Context, 'store'>) {
  return (await listStaff(store.durable)).map((row) => ({
    account_id: row.account_id,
    role: row.role,
    name: row.name,
    email: row.email,
    added_by: row.added_by,
    added_at: shown(row.added_at),
  }));
}

type AccountStaff = Awaited<ReturnType<typeof accountStaff>>[number];

const accountLine = ({ account_id: id, role, name, email, added_by: by, added_at: at }: AccountStaff) =>
  printable(`${id}  ${role.padEnd(6)}  ${calledBy(name, email) || 'has not signed in'}  since ${at} (${by})`);

function accountLines({ company }: Settings, staff: readonly AccountStaff[]): string[] {
  if (staff.length === 0) return [company ? NO_ACCOUNT : NONE];
  return staff.map(accountLine);
}

const HEAD = ['ACCOUNT', 'ROLE', 'WHO', 'SINCE', 'ADDED BY'];

const rowOf = ({ account_id: id, role, name, email, added_by: by, added_at: at }: AccountStaff) => [
  id,
  role,
  calledBy(name, email) || 'has not signed in',
  at,
  by,
];

/** `staff list`. */
export async function listStaffCommand(): Promise<Result> {
  return withContext(async ({ context }) => {
    const { settings } = context;
    const [staff, people] = [await accountStaff(context), await companyStaff(context)];
    const accounts = accountLines(settings, staff);
    const isWarned = staff.length > 0 && !hasLocalStaff(settings);
    const notes = [...(isWarned ? [NO_ACCESS_NOW] : []), ...companyLines(settings, people)];
    // A table without rows is printed by its lines.
    const table = { head: HEAD, rows: staff.map(rowOf), notes };
    const json = {
      staff,
      company: people.slice(0, COMPANY_SHOWN),
      company_sign_in: settings.company?.issuer ?? null,
    };
    return {
      ok: true,
      lines: [...accounts, ...notes],
      table,
      json,
    };
  });
}
