import type { AccountChanges, AccountRecord } from '../main-api/directory.ts';
import { hashOfNothing, passwordMatches } from '../passwords.ts';
import type { Database } from './database.ts';

interface SignInRow {
  document: string;
  hash: string;
  passwordSetAt: number;
}

/** The result of a check with the right password. */
export interface Login {
  account: AccountRecord;
  /** Unix seconds: the start of the check, but not before the time at which the compared password was set. */
  loginTs: number;
}

export type Accounts = ReturnType<typeof createAccounts>;

const parseAccount = (document: string): AccountRecord => JSON.parse(document);

/** Pairs for `json_set`: the path of each field in the document, and the new value in JSON. */
function pathsOf({ preferences = {}, ...fields }: AccountChanges): string[] {
  const named = [
    ...Object.entries(fields).map(([name, value]) => [`$.${name}`, value]),
    ...Object.entries(preferences).map(([name, value]) => [`$.preferences.${name}`, value]),
  ];
  return named.flatMap(([path, value]) => (value === undefined ? [] : [String(path), JSON.stringify(value)]));
}

const CHANGE_EMAIL = `
  update or ignore accounts set email = ?, document = json_set(document, '$.email', ?) where id = ?`;

/** The e-mail addresses with which people sign in. */
function createAddresses(db: Database) {
  const isTaken = db.prepare<[string], number>('select 1 from accounts where email = ?').pluck();
  const changeEmail = db.prepare(CHANGE_EMAIL);
  return {
    /** Ignores upper and lower case. */
    isTaken: (email: string): boolean => isTaken.get(email) !== undefined,
    /** False when another account has the address. */
    changeEmail: (accountId: string, email: string): boolean =>
      changeEmail.run(email, email, accountId).changes === 1,
  };
}

const BY_EMAIL = `
  select document, password_hash as hash, password_set_at as passwordSetAt from accounts where email = ?`;

/** Checks passwords, and tells whether an earlier check still counts. */
function createLogins(db: Database) {
  const byEmail = db.prepare<[string], SignInRow>(BY_EMAIL);
  const isOutdated = db
    .prepare<[string, number], number>('select 1 from accounts where id = ? and password_set_at > ?')
    .pluck();
  // Compared when the e-mail address is unknown. The answer then takes as long as for a known address.
  const decoy = hashOfNothing();

  return {
    /** The account with this e-mail address (upper and lower case ignored) and password, else undefined. */
    async authenticate(email: string, password: string): Promise<Login | undefined> {
      const began = Math.floor(Date.now() / 1000);
      const row = byEmail.get(email);
      const matches = await passwordMatches(password, row?.hash ?? decoy);
      if (!row || !matches) return undefined;
      return { account: parseAccount(row.document), loginTs: Math.max(began, row.passwordSetAt) };
    },
    /** True when the password was changed after, or during, the check. */
    isLoginOutdated: (accountId: string, loginTs: number): boolean =>
      isOutdated.get(accountId, loginTs) !== undefined,
  };
}

export function createAccounts(db: Database) {
  const byId = db.prepare<[string], string>('select document from accounts where id = ?').pluck();
  const insert = db.prepare(
    'insert or ignore into accounts (id, email, password_hash, document) values (?, ?, ?, ?)',
  );

  const find = (accountId: string): AccountRecord | undefined => {
    const document = byId.get(accountId);
    return document === undefined ? undefined : parseAccount(document);
  };
  return {
    ...createAddresses(db),
    ...createLogins(db),
    find,
    /** Does nothing when the account exists: a changed password survives the next start. */
    add(account: AccountRecord, passwordHash: string): void {
      insert.run(account.id, account.email, passwordHash, JSON.stringify(account));
    },
    /** One statement: parallel changes of different fields never undo each other. */
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
  };
}
