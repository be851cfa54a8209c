import { hashPassword, passwordMatches } from '../passwords.ts';
import type { Database } from './database.ts';
import type { EmailChanges } from './email-changes.ts';
import type { OidcRecords } from './oidc-records.ts';

interface PasswordChange {
  accountId: string;
  current: string;
  next: string;
}

interface ChangeParts {
  records: OidcRecords;
  emailChanges: EmailChanges;
}

// In the future, so that nobody who signs in with the old password within the same second counts as later.
const SET_PASSWORD = `
  update accounts set password_hash = ?, password_set_at = max(?, password_set_at) + 1
  where id = ? and password_hash = ? returning password_set_at`;

/**
 * Changes a password and, in the same transaction, ends what somebody who knew the old one may have begun: every session
 * (a login of before counts no more, wherever it is on its way), and an e-mail address that waits for its link. Apps,
 * keys and clients keep their access. Returns the login time, in Unix seconds, of whoever changed it; undefined when
 * `current` is not the password, or no longer when it comes to writing: one of two parallel changes wins.
 */
export function createPasswordChange(db: Database, { records, emailChanges }: ChangeParts) {
  const hashOf = db.prepare<[string], string>('select password_hash from accounts where id = ?').pluck();
  const setPassword = db.prepare<[string, number, string, string], number>(SET_PASSWORD).pluck();

  return async ({ accountId, current, next }: PasswordChange): Promise<number | undefined> => {
    const known = hashOf.get(accountId);
    if (known === undefined || !(await passwordMatches(current, known))) return undefined;
    const hash = await hashPassword(next);
    const change = db.transaction(() => {
      const setAt = setPassword.get(hash, Math.floor(Date.now() / 1000), accountId, known);
      if (setAt === undefined) return undefined;
      records.endSessions(accountId);
      emailChanges.forget(accountId);
      return setAt;
    });
    return change.immediate();
  };
}
