import { addStaff, removeStaff, type StaffRole } from '../../domain/accounts/staff.ts';
import { isKnownAccount } from '../../domain/accounts/account-id.ts';
import { hasLocalStaff } from '../../domain/accounts/company-staff.ts';
import { commandActor } from './by-option.ts';
import type { Result } from './result.ts';
import { withContext } from './with-context.ts';

/** `staff`: the accounts that may look after the tokens of other people on the pages below /support. */

const originOf = (options: Record<string, unknown>) => ({ actor: commandActor(options), requestId: null });

/** An account may be named before it comes. A mistake in the id looks the same. */
const unknownLine = (accountId: string) =>
  `No account with this id is known here yet. If the id is wrong: grantbridge staff remove ${accountId}`;

const NO_ACCESS =
  'Staff sign in by the company (STAFF_OIDC_ISSUER), so this account has no access. STAFF_OIDC_ALSO_LOCAL=on gives it access too.';

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
