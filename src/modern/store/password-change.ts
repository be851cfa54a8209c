import { hashPassword, passwordMatches } from '../passwords.ts';
import type { Database } from './database.ts';
import type { EmailChanges } from './email-changes.ts';
import type { OidcRecords } from './oidc-records.ts';

interface PasswordChange {
  accountId: string;
  current: string;
  next: string;
}

interface PasswordChangeDeps {
  records: OidcRecords;
  emailChanges: EmailChanges;
}

// Sets a time in the future: a sign-in with the old password within the same second must count as earlier.
const SET_PASSWORD = `
  update accounts set password_hash = ?, password_set_at = max(?, password_set_at) + 1
  where id = ? and password_hash = ? returning password_set_at`;

/**
 * Changes a password. The same transaction ends every session and cancels a waiting e-mail change, because a person who
 * knew the old password may have begun them. A login from before the change counts no more, also while the login is
 * still running. Apps, keys and clients keep their access. Returns the login time of the change in Unix seconds.
 * Undefined when `current` is not the password, or when a parallel change was written first.
 */
export function createPasswordChange(db: Database, { records, emailChanges }: PasswordChangeDeps) {
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
