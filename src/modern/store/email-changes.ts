import { createHash } from 'node:crypto';
import { EMAIL_CHANGE_SECONDS } from '../lifetimes.ts';
import type { Accounts } from './accounts.ts';
import type { Database } from './database.ts';

interface EmailChange {
  accountId: string;
  email: string;
}

export type EmailChanges = ReturnType<typeof createEmailChanges>;

const digest = (token: string) => createHash('sha256').update(token).digest('base64url');
const now = () => Math.floor(Date.now() / 1000);

const BEGIN = `
  insert into email_changes (account_id, token_digest, email, expires_at) values (?, ?, ?, ?)
  on conflict (account_id) do update set
    token_digest = excluded.token_digest, email = excluded.email, expires_at = excluded.expires_at`;

const LIVE = `
  select account_id as accountId, email from email_changes where token_digest = ? and expires_at > ?`;

const TAKE = `
  delete from email_changes where token_digest = ? and expires_at > ? returning account_id as accountId, email`;

/** New addresses that wait for their link; tokens go in as the link has them and are digested here. */
export function createEmailChanges(db: Database, accounts: Accounts) {
  const begin = db.prepare(BEGIN);
  const live = db.prepare<[string, number], EmailChange>(LIVE);
  const take = db.prepare<[string, number], EmailChange>(TAKE);
  const waiting = db
    .prepare<[string, number], string>(
      'select email from email_changes where account_id = ? and expires_at > ?',
    )
    .pluck();
  const withdraw = db.prepare('delete from email_changes where token_digest = ?');
  const forget = db.prepare('delete from email_changes where account_id = ?');
  db.prepare('delete from email_changes where expires_at <= ?').run(now());

  const confirm = db.transaction((token: string): 'changed' | 'taken' | 'gone' => {
    const change = take.get(digest(token), now());
    if (!change) return 'gone';
    return accounts.changeEmail(change.accountId, change.email) ? 'changed' : 'taken';
  });

  return {
    /** The account's only live link from now on. */
    begin({ accountId, email }: EmailChange, token: string): void {
      begin.run(accountId, digest(token), email, now() + EMAIL_CHANGE_SECONDS);
    },
    find: (token: string): EmailChange | undefined => live.get(digest(token), now()),
    waitingFor: (accountId: string): string | undefined => waiting.get(accountId, now()),
    /** Of a link that could not be sent; a newer one stays. */
    withdraw: (token: string): void => void withdraw.run(digest(token)),
    forget: (accountId: string): void => void forget.run(accountId),
    /** Spends the link, also when its address has become another account's meanwhile. One of two parallel calls wins. */
    confirm: (token: string) => confirm.immediate(token),
  };
}
