import type { AccountChanges, AccountRecord } from '../main-api/directory.ts';
import { hashPassword, passwordMatches } from '../passwords.ts';
import type { Database } from './database.ts';

interface AccountRow {
  document: string;
  password_hash: string;
}

export type Accounts = ReturnType<typeof createAccounts>;

const parseAccount = (document: string): AccountRecord => JSON.parse(document);

/** SQLite's paths into the document, each with its new value in JSON. */
function pathsOf({ preferences = {}, ...fields }: AccountChanges): string[] {
  const named = [
    ...Object.entries(fields).map(([name, value]) => [`$.${name}`, value]),
    ...Object.entries(preferences).map(([name, value]) => [`$.preferences.${name}`, value]),
  ];
  return named.flatMap(([path, value]) => (value === undefined ? [] : [String(path), JSON.stringify(value)]));
}

interface NewPassword {
  current: string;
  next: string;
}

const CHANGE_EMAIL = `
  update or ignore accounts set email = ?, document = json_set(document, '$.email', ?) where id = ?`;

/** What a person signs in with. */
function createSignInChanges(db: Database) {
  const hashOf = db.prepare<[string], string>('select password_hash from accounts where id = ?').pluck();
  const isTaken = db.prepare<[string], number>('select 1 from accounts where email = ?').pluck();
  const changeEmail = db.prepare(CHANGE_EMAIL);
  const setHash = db.prepare('update accounts set password_hash = ? where id = ? and password_hash = ?');

  return {
    /** Any case. */
    isTaken: (email: string): boolean => isTaken.get(email) !== undefined,
    /** False when another account has it. */
    changeEmail: (accountId: string, email: string): boolean =>
      changeEmail.run(email, email, accountId).changes === 1,
    /**
     * False when `current` is not the password, or no longer when it comes to writing: one of two parallel changes wins.
     * `alongside` runs in the same transaction.
     */
    async changePassword(
      accountId: string,
      { current, next }: NewPassword,
      alongside: () => void,
    ): Promise<boolean> {
      const known = hashOf.get(accountId);
      if (known === undefined || !(await passwordMatches(current, known))) return false;
      const hash = await hashPassword(next);
      const change = db.transaction(() => {
        if (setHash.run(hash, accountId, known).changes === 0) return false;
        alongside();
        return true;
      });
      return change.immediate();
    },
  };
}

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
    ...createSignInChanges(db),
    find,
    /** Does nothing when the account exists: a changed password survives the next start. */
    async add(account: AccountRecord, password: string): Promise<void> {
      if (find(account.id)) return;
      insert.run(account.id, account.email, await hashPassword(password), JSON.stringify(account));
    },
    /** In one statement, so that changes of different fields never undo each other. */
    update(accountId: string, changes: AccountChanges): AccountRecord | undefined {
      const paths = pathsOf(changes);
      const values = paths.length === 0 ? '' : ', ?, json(?)'.repeat(paths.length / 2);
      const sql = `update accounts set document = json_set(document${values}) where id = ? returning document`;
      const document = db
        .prepare<string[], string>(sql)
        .pluck()
        .get(...paths, accountId);
      return document === undefined ? undefined : parseAccount(document);
    },
    /** The account with this e-mail (any case) and password, else undefined. */
    async authenticate(email: string, password: string): Promise<AccountRecord | undefined> {
      const row = byEmail.get(email);
      const matches = await passwordMatches(password, row?.password_hash ?? (await decoy));
      return row && matches ? parseAccount(row.document) : undefined;
    },
  };
}
