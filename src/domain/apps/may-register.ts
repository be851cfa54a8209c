import type { AppsDeps } from './deps.ts';
import { mayAct, type StaffRole } from '../accounts/staff.ts';

/** Who may register an app on a page of the bridge. The operator's command always may. */

/** The staff role that registers apps where owners may not register apps themselves. */
const REGISTRAR: StaffRole = 'agent';

/** Whether a signed-in person may register an app. */
export function mayRegister({ settings }: Pick<AppsDeps, 'settings'>, role: StaffRole | undefined): boolean {
  if (settings.appRegistration === 'open') return true;
  return settings.appRegistration === 'staff' && role !== undefined && mayAct(role, REGISTRAR);
}
