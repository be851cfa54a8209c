import type { Database } from '../database.ts';
import { minuteAgo } from '../minutes.ts';

const TOUCH = `
  insert into app_uses (account_id, client_id, last_used_at) values (?, ?, ?)
  on conflict (account_id, client_id) do update set last_used_at = excluded.last_used_at
  where last_used_at < ?`;

const FORGET = `
  delete from app_uses where client_id = @clientId and (@accountId is null or account_id = @accountId)`;

/** The time of the last call of an app to the main API for an account, to the minute. */
export function createAppUses(db: Database) {
  const touch = db.prepare(TOUCH);
  const forget = db.prepare(FORGET);
  return {
    touch: (accountId: string, clientId: string) =>
      void touch.run(accountId, clientId, new Date().toISOString(), minuteAgo()),
    /** Without `accountId`: for all accounts. */
    forget: (clientId: string, accountId?: string) =>
      void forget.run({ clientId, accountId: accountId ?? null }),
  };
}

export type AppUses = ReturnType<typeof createAppUses>;
