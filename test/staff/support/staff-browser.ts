import { addStaff, type StaffRole } from '../../../src/domain/accounts/staff.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import type { System } from '../../support/bridge/system.ts';
import { browserOf, SAM } from '../../owners/support/people.ts';

/** A new browser in which a person is signed in whom the operator's command gave a role. */
export async function staffBrowser(system: System, role: StaffRole, person = SAM): Promise<CookieWalker> {
  const origin = { actor: 'command', requestId: null };
  await addStaff(system.bridge.context, { account: person.accountId, role, ...origin });
  return browserOf(system, person);
}
