import { createHash } from 'node:crypto';
import { EMAIL_CHANGE_SECONDS } from '../lifetimes.ts';
import type { Accounts } from './accounts.ts';
import type { Database } from './database.ts';

interface EmailChange {
  accountId: string;
  email: string;
}

interface NewEmailChange extends EmailChange {
  /** The login time of the password check that allowed the change. */
  loginTs: number;
}

/** `from` is the old address, `to` is the new address. */
type ConfirmationResult = { end: 'changed'; from: string; to: string } | { end: 'taken' | 'gone' };

export type EmailChanges = ReturnType<typeof createEmailChanges>;

const digest = (token: string) => createHash('sha256').update(token).digest('base64url');
const now = () => Math.floor(Date.now() / 1000);

// A password change after the check cancels the permission of the check, as in `isLoginOutdated`.
const BEGIN = `
  insert into email_changes (account_id, token_digest, email, expires_at)
  select id, ?, ?, ? from accounts where id = ? and password_set_at <= ?
  on conflict (account_id) do update set
    token_digest = excluded.token_digest, email = excluded.email, expires_at = excluded.expires_at`;

const LIVE = `
  select account_id as accountId, email from email_changes where token_digest = ? and expires_at > ?`;

const TAKE = `
  delete from email_changes where token_digest = ? and expires_at > ? returning account_id as accountId, email`;

/** New e-mail addresses that wait for their link. Callers pass the token of the link; this file digests the token. */
export function createEmailChanges(db: Database, accounts: Accounts) {
  const begin = db.prepare(BEGIN);
  const live = db.prepare<[string, number], EmailChange>(LIVE);
  const take = db.prepare<[string, number], EmailChange>(TAKE);
  const waiting = db
    .prepare<[string, number], string>(
      'select email from email_changes where account_id = ? and expires_at > ?',
    )
    .pluck();
  const forget = db.prepare('delete from email_changes where account_id = ?');
  const purge = db.prepare('delete from email_changes where expires_at <= ?');

  const confirm = db.transaction((token: string): ConfirmationResult => {
    const change = take.get(digest(token), now());
    const from = change && accounts.find(change.accountId)?.email;
    if (!change || from === undefined) return { end: 'gone' };
    const { accountId, email: to } = change;
    return accounts.changeEmail(accountId, to) ? { end: 'changed', from, to } : { end: 'taken' };
  });

  return {
    /** Makes this link the only live link of the account. False when the password was changed after the check. */
    begin({ accountId, email, loginTs }: NewEmailChange, token: string): boolean {
      const values = [digest(token), email, now() + EMAIL_CHANGE_SECONDS, accountId, loginTs];
      return begin.run(...values).changes === 1;
    },
    find: (token: string): EmailChange | undefined => live.get(digest(token), now()),
    waitingFor: (accountId: string): string | undefined => waiting.get(accountId, now()),
    forget: (accountId: string): void => void forget.run(accountId),
    purge: () => void purge.run(now()),
    /** Spends the link, also when another account has taken the address meanwhile. One of two parallel calls wins. */
    confirm: (token: string) => confirm.immediate(token),
  };
}
