import type { LiveApiKey } from '../../store/api-keys/api-keys.ts';
import { hasLocalStaff } from '../accounts/company-staff.ts';
import { mayAct, type StaffRole } from '../accounts/staff.ts';
import type { ApiKeysDeps } from './deps.ts';

/** The lower of two roles. */
const lower = (one: StaffRole, other: StaffRole): StaffRole => (mayAct(one, other) ? other : one);

/**
 * What a live key may do now; undefined where it is refused. A key that a person made on a page may do no more than the
 * person may do now.
 */
export function roleNow(
  { settings }: Pick<ApiKeysDeps, 'settings'>,
  { role, account_id: accountId, maker_role: maker }: Pick<LiveApiKey, 'role' | 'account_id' | 'maker_role'>,
): StaffRole | undefined {
  if (accountId === null) return role;
  return maker === null || !hasLocalStaff(settings) ? undefined : lower(role, maker);
}
