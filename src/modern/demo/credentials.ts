import type { DemoCredentials } from '../settings.ts';
import type { ModernStore } from '../store/store.ts';
import { demoPeople } from './people.ts';

/**
 * The credentials of the first demo person. The password is absent after the person changed the password in the
 * settings.
 */
export function demoCredentials({ accounts }: Pick<ModernStore, 'accounts'>): DemoCredentials {
  const [{ account, password }] = demoPeople;
  const { email } = accounts.find(account.id) ?? account;
  const isChanged = accounts.isLoginOutdated(account.id, 0);
  return { accountId: account.id, email, ...(isChanged ? {} : { password }) };
}
