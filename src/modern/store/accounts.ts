import type { AccountRecord } from '../main-api/data.ts';
import { hashPassword, passwordMatches } from '../passwords.ts';
import type { Database } from './database.ts';

interface AccountRow {
  document: string;
  password_hash: string;
}

export type Accounts = ReturnType<typeof createAccounts>;

const parseAccount = (document: string): AccountRecord => JSON.parse(document);

export function createAccounts(db: Database) {
  const byId = db.prepare<[string], AccountRow>('select document, password_hash from accounts where id = ?');
  const byEmail = db.prepare<[string], AccountRow>(
    'select document, password_hash from accounts where email = ?',
  );
  const insert = db.prepare(
    'insert or ignore into accounts (id, email, password_hash, document) values (?, ?, ?, ?)',
  );
  // Checked when the e-mail is unknown, so that the answer takes as long as for a known one.
  const decoy = hashPassword('no account has this');

  const find = (accountId: string): AccountRecord | undefined => {
    const row = byId.get(accountId);
    return row && parseAccount(row.document);
  };
  return {
    find,
    /** Does nothing when the account exists: a changed password survives the next start. */
    async add(account: AccountRecord, password: string): Promise<void> {
      if (find(account.id)) return;
      insert.run(account.id, account.email, await hashPassword(password), JSON.stringify(account));
    },
    /** The account with this e-mail (any case) and password, else undefined. */
    async authenticate(email: string, password: string): Promise<AccountRecord | undefined> {
      const row = byEmail.get(email);
      const matches = await passwordMatches(password, row?.password_hash ?? (await decoy));
      return row && matches ? parseAccount(row.document) : undefined;
    },
  };
}
