import { addStaff, removeStaff, type StaffRole } from '../../domain/accounts/staff.ts';
import { isKnownAccount } from '../../domain/accounts/account-id.ts';
import type { Context } from '../../domain/context.ts';
import { hasLocalStaff } from '../../domain/accounts/company-staff.ts';
import { listCompanyStaff } from '../../store/accounts/company-staff.ts';
import { listStaff } from '../../store/accounts/staff.ts';
import { commandActor } from './by-option.ts';
import { printable, shown } from './dates/moment-option.ts';
import type { Result } from './result.ts';
import { withContext } from './with-context.ts';

/** `staff`: the accounts that may look after the tokens of other people on the pages below /support. */

const originOf = (options: Record<string, unknown>) => ({ actor: commandActor(options), requestId: null });

/** An account may be named before it comes. A mistake in the id looks the same. */
const unknownLine = (accountId: string) =>
  `No account with this id is known here yet. If the id is wrong: grantbridge staff remove ${accountId}`;

const NO_ACCESS =
  'Staff sign in by the company (STAFF_OIDC_ISSUER), so this account has no access. STAFF_OIDC_ALSO_LOCAL=on gives it access too.';

const NO_ACCESS_NOW =
  'These accounts have no access now: staff sign in by the company (STAFF_OIDC_ISSUER), and STAFF_OIDC_ALSO_LOCAL is off.';

/** `staff add ACCOUNT --role ROLE`: gives an account a role, or changes its role. */
export async function add(
  options: Record<string, unknown>,
  [account = '']: readonly string[],
): Promise<Result> {
  const origin = originOf(options);
  const role = options['role'] as StaffRole;
  return withContext(async ({ context }) => {
    const { accountId, before } = await addStaff(context, { account, role, ...origin });
    const was = before === undefined || before === role ? '' : `. Its role was ${before} before`;
    const lines = [`Account ${accountId} is now support staff, as ${role}${was}.`];
    const isKnown = await isKnownAccount(context.store.durable, accountId);
    if (!isKnown) lines.push(unknownLine(accountId));
    const hasAccess = hasLocalStaff(context.settings);
    if (!hasAccess) lines.push(NO_ACCESS);
    const json = { account_id: accountId, role, before: before ?? null, account_known: isKnown };
    return { ok: true, lines, json: { ...json, has_access: hasAccess } };
  });
}

/** `staff remove ACCOUNT`: takes the role away, from the account's next request on. */
export async function remove(
  options: Record<string, unknown>,
  [account = '']: readonly string[],
): Promise<Result> {
  const origin = originOf(options);
  return withContext(async ({ context }) => {
    const { accountId, before } = await removeStaff(context, { account, ...origin });
    const lines = [`Account ${accountId} is no longer support staff. Its role was ${before}.`];
    return { ok: true, lines, json: { account_id: accountId, before } };
  });
}

/** Enough for the staff of every company; nobody reads further. */
const COMPANY_SHOWN = 500;

/** The people of the company, with the role that their last sign-in gave. */
async function companyStaff({ store }: Pick<Context, 'store'>) {
  return (await listCompanyStaff(store.durable, COMPANY_SHOWN)).map((row) => ({
    issuer: row.issuer,
    subject: row.subject,
    role: row.role,
    name: row.name,
    email: row.email,
    signed_in_at: shown(row.signed_in_at),
  }));
}

type CompanyStaff = Awaited<ReturnType<typeof companyStaff>>[number];

const calledBy = (...names: Array<string | null>) => names.filter(Boolean).join(', ');

const companyLine = ({ issuer, subject, role, name, email, signed_in_at: at }: CompanyStaff) =>
  `${subject} at ${issuer}  ${role.padEnd(6)}  ${calledBy(name, email)}  last signed in ${at}`;

/** `staff list`: every account with a role, and everybody who came by the company. */
export async function listStaffCommand(): Promise<Result> {
  return withContext(async ({ context }) => {
    const staff = (await listStaff(context.store.durable)).map((row) => ({
      account_id: row.account_id,
      role: row.role,
      name: row.name,
      email: row.email,
      added_by: row.added_by,
      added_at: shown(row.added_at),
    }));
    const company = await companyStaff(context);
    const lines = staff.map(
      ({ account_id: id, role, name, email, added_by: by, added_at: at }) =>
        `${id}  ${role.padEnd(6)}  ${calledBy(name, email) || 'has not signed in'}  since ${at} (${by})`,
    );
    const none = 'No account is support staff yet. To add one: grantbridge staff add ACCOUNT --role lead';
    const accounts = lines.length > 0 ? lines.map(printable) : [none];
    const warning = lines.length > 0 && !hasLocalStaff(context.settings) ? [NO_ACCESS_NOW] : [];
    const all = [...accounts, ...warning, ...company.map(companyLine).map(printable)];
    const rows = staff.map(({ account_id: id, role, name, email, added_by: by, added_at: at }) => {
      return [id, role, calledBy(name, email) || 'has not signed in', at, by];
    });
    const notes = all.slice(accounts.length);
    const table = { head: ['ACCOUNT', 'ROLE', 'WHO', 'SINCE', 'ADDED BY'], rows, notes };
    return { ok: true, lines: all, table, json: { staff, company } };
  });
}
