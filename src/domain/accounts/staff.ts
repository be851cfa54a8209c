import { ACCOUNT_ID_WORDS, readAccountId } from './account-id.ts';
import { normalEmail } from '../../shared/mail/address.ts';
import { Refusal } from '../../shared/refusals/refusal.ts';
import { STAFF_ROLES, type StaffRole } from '../../store/tables/page-tables.ts';
import { deleteRole, findRole, keepRole } from '../../store/accounts/staff.ts';
import { accountsWith } from '../../store/support/support-search.ts';
import type { Origin } from '../origin.ts';
import type { AccountsDeps } from './deps.ts';
import { recordEvent } from '../history/record-event.ts';

/**
 * People who look after the tokens of others. The operator names staff by a command. Every request reads the role
 * again.
 */

export type { StaffRole };

/** A change of the staff that was not made. The message says why, in one sentence for a person. */
class StaffRefused extends Refusal {}

/** The present role of an account; undefined for an account that is not staff. */
export function roleOf({ store }: AccountsDeps, accountId: string): Promise<StaffRole | undefined> {
  return findRole(store.durable, accountId);
}

/**
 * Whether a role may do an action for which another role is needed. Each role may also do what the roles before it in
 * STAFF_ROLES may do.
 */
export function mayAct(role: StaffRole, needed: StaffRole): boolean {
  return STAFF_ROLES.indexOf(role) >= STAFF_ROLES.indexOf(needed);
}

/** An account by its id, or by the e-mail address of an account that has signed in. */
async function accountNamed({ store }: AccountsDeps, named: string): Promise<string> {
  const given = await readAccountId(store.durable, named);
  if (given !== undefined) return given;
  if (!named.includes('@')) throw new StaffRefused(`Name ${ACCOUNT_ID_WORDS}, or an e-mail address.`);
  const found = await accountsWith(store.durable, { email: normalEmail(named) });
  const [accountId, ...others] = found.map(({ account_id: id }) => id);
  if (accountId === undefined)
    throw new StaffRefused(
      'No account with this e-mail address is known. The bridge learns the address of an account at the first sign-in. Until then, name the account by its id.',
    );
  if (others.length > 0)
    throw new StaffRefused(
      `${others.length + 1} accounts have this e-mail address. Name the account by its id: ${[accountId, ...others].join(', ')}`,
    );
  return accountId;
}

interface StaffRequest extends Origin {
  /** An account id, or the e-mail address of an account that has signed in. */
  account: string;
}

/**
 * Gives an account a role, or changes its role. Returns the account.
 * @throws {StaffRefused}
 */
export async function addStaff(
  context: AccountsDeps,
  { account, role, actor, requestId }: StaffRequest & { role: StaffRole },
): Promise<{ accountId: string; before: StaffRole | undefined }> {
  const accountId = await accountNamed(context, account);
  return context.store.transaction(async (tx) => {
    const at = context.clock.now();
    const before = await findRole(tx, accountId);
    await keepRole(tx, { account_id: accountId, role, added_by: actor, added_at: at });
    const reason = before === undefined ? role : `${role}, was ${before}`;
    await recordEvent(context, tx, { at, actor, requestId, action: 'staff_added', accountId, reason });
    return { accountId, before };
  });
}

/**
 * Takes the role of an account away. The next request has no role.
 * @throws {StaffRefused}
 */
export async function removeStaff(
  context: AccountsDeps,
  { account, actor, requestId }: StaffRequest,
): Promise<{ accountId: string; before: StaffRole }> {
  const accountId = await accountNamed(context, account);
  return context.store.transaction(async (tx) => {
    const at = context.clock.now();
    const before = await deleteRole(tx, accountId);
    if (before === undefined) throw new StaffRefused('This account is not support staff.');
    const event = { at, actor, requestId, action: 'staff_removed', accountId, reason: `was ${before}` };
    await recordEvent(context, tx, event);
    return { accountId, before };
  });
}
