import type { Accounts } from './accounts.ts';
import type { EmailChanges } from './email-changes.ts';
import type { OidcRecords } from './oidc-records.ts';

interface PasswordChange {
  accountId: string;
  current: string;
  next: string;
  /** Uid of the one session that goes on. */
  sessionUid: string;
}

interface ChangeParts {
  accounts: Accounts;
  records: OidcRecords;
  emailChanges: EmailChanges;
}

/**
 * Changes a password and, in the same transaction, ends what somebody who knew the old one may have begun: every other
 * session, and an e-mail address that waits for its link. Apps keep their access. False when `current` is not it.
 */
export function createPasswordChange({ accounts, records, emailChanges }: ChangeParts) {
  return ({ accountId, current, next, sessionUid }: PasswordChange): Promise<boolean> =>
    accounts.changePassword(accountId, { current, next }, () => {
      records.endOtherSessions(accountId, sessionUid);
      emailChanges.forget(accountId);
    });
}
