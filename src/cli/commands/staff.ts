import { addStaff, removeStaff, type StaffRole } from '../../domain/accounts/staff.ts';
import { isKnownAccount } from '../../domain/accounts/account-id.ts';
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
    const json = { account_id: accountId, role, before: before ?? null, account_known: isKnown };
    return { ok: true, lines: isKnown ? lines : [...lines, unknownLine(accountId)], json };
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

/** `staff list`: every account with a role. */
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
    const lines = staff.map(
      ({ account_id: id, role, name, email, added_by: by, added_at: at }) =>
        `${id}  ${role.padEnd(6)}  ${[name, email].filter(Boolean).join(', ') || 'has not signed in'}  since ${at} (${by})`,
    );
    const none = 'No account is support staff yet. To add one: grantbridge staff add ACCOUNT --role lead';
    return { ok: true, lines: lines.length > 0 ? lines.map(printable) : [none], json: { staff } };
  });
}
