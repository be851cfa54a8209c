import { sql } from 'kysely';
import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import { type DeathCause, WAITING_STATES } from '../tables/tables.ts';

/**
 * The people who may need a reminder, and the facts for it. People are read page by page in the order of their ids. A
 * few statements read the data of all people of a page.
 */

/** The causes that end a working grant against its holder's will. */
const DIED_OF: readonly DeathCause[] = ['refused', 'lost', 'superseded'];

/** The data of the new API about an account. */
export interface AccountRow {
  account_id: string;
  email: string | null;
  name: string | null;
  timezone: string | null;
}

const accounts = (db: Database) =>
  db.selectFrom('accounts').select(['account_id', 'email', 'name', 'timezone']).orderBy('account_id');

/** The accounts after this account, in the order of their ids. */
export async function accountsAfter(db: Database, accountId: string, limit: number): Promise<AccountRow[]> {
  return accounts(db).where('account_id', '>', accountId).limit(limit).execute();
}

/** One account; undefined when unknown. */
export async function readReminderAccount(db: Database, accountId: string): Promise<AccountRow | undefined> {
  return accounts(db).where('account_id', '=', accountId).executeTakeFirst();
}

/**
 * Candidate accounts for these addresses, in the order of their ids. The database's lower case is wider than the lower
 * case of `normalEmail`, which decides.
 */
export async function accountsWithEmails(
  db: Database,
  emails: readonly string[],
): Promise<Array<{ account_id: string; email: string | null }>> {
  const lower = new Set(emails.flatMap((email) => [email, email.toLowerCase()]));
  return db
    .selectFrom('accounts')
    .select(['account_id', 'email'])
    .where('email', 'is not', null)
    .where(isOneOf(db, sql`lower(email)`, [...lower]))
    .orderBy('account_id')
    .execute();
}

/**
 * The addresses after this address, in the database's order, under which tokens or apps stand without an account. Tokens in
 * any state: to look at the state of each would read the rows of all tokens, which the next statement does again.
 */
export async function unknownEmailsAfter(db: Database, email: string, limit: number): Promise<string[]> {
  const tokens = db
    .selectFrom('mappings')
    .select('account_email as email')
    .where('account_id', 'is', null)
    .where('account_email', '>', email);
  const apps = db
    .selectFrom('apps')
    .select('owner_email as email')
    .where('owner_account_id', 'is', null)
    .where('owner_email', '>', email)
    .where('retired_at', 'is', null);
  const rows = await tokens.union(apps).orderBy('email').limit(limit).execute();
  return rows.flatMap((row) => row.email ?? []);
}

/** People, by the ids of their accounts or by the addresses under which tokens or apps wait for an account. */
export interface NamedPerson {
  by: 'account' | 'email';
  names: readonly string[];
}

/** A token that waits for the consent of a person. */
export interface HeldToken {
  person: string;
  client_id: string;
  /** The grant that the token had, where it needs another one. */
  grant_id: string | null;
  last_used_at: number | null;
  woken_at: number | null;
  updated_at: number;
}

/** The token that an app gets with its registration, when unused, concerns no person: its end breaks no program. */
const IS_CONCERNED = sql<boolean>`not (m.state = 'unmapped' and m.source = 'registration' and m.last_used_at is null)`;

/**
 * The waiting tokens of these people, in any order. Grouping them here, and joining their apps and grants, would take
 * longer than reading them.
 */
export async function listHeldTokens(db: Database, { by, names }: NamedPerson): Promise<HeldToken[]> {
  const person = sql.ref<string>(by === 'account' ? 'm.account_id' : 'm.account_email');
  return db
    .selectFrom('mappings as m')
    .select([person.as('person'), 'm.client_id', 'm.last_used_at', 'm.woken_at', 'm.updated_at'])
    .select(
      sql<string | null>`case m.state when 'reauthorization_required' then m.grant_id end`.as('grant_id'),
    )
    .where(isOneOf(db, person, names))
    .$if(by === 'email', (query) => query.where('m.account_id', 'is', null))
    .where('m.state', 'in', WAITING_STATES)
    .where(IS_CONCERNED)
    .execute();
}

/** The live apps among these, in the order of their names; unidentified programs are included. */
export async function listLiveApps(
  db: Database,
  clientIds: readonly string[],
): Promise<Array<{ client_id: string; name: string }>> {
  return db
    .selectFrom('apps')
    .select(['client_id', 'name'])
    .where(isOneOf(db, 'client_id', clientIds))
    .where('retired_at', 'is', null)
    .orderBy('name')
    .orderBy('client_id')
    .execute();
}

/** When the grants among these that ended against their holder's will ended. */
export async function readDeaths(db: Database, grantIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('grants')
    .select(['id', 'dead_at'])
    .where(isOneOf(db, 'id', grantIds))
    .where('state', '=', 'dead')
    .where('dead_cause', 'in', DIED_OF)
    .where('dead_at', 'is not', null)
    .execute();
  return new Map(rows.map(({ id, dead_at }) => [id, dead_at ?? 0]));
}

/** A live app of one person. */
export interface OwnersApp {
  person: string;
  client_id: string;
  app_name: string;
  passed_at: number | null;
}

/** The live apps of these people, by name, without unidentified programs. */
export async function listOwnersApps(db: Database, { by, names }: NamedPerson): Promise<OwnersApp[]> {
  const person = sql.ref<string>(by === 'account' ? 'owner_account_id' : 'owner_email');
  return db
    .selectFrom('apps')
    .select([person.as('person'), 'client_id', 'name as app_name', 'passed_at'])
    .where(isOneOf(db, person, names))
    .$if(by === 'email', (query) => query.where('owner_account_id', 'is', null))
    .where('retired_at', 'is', null)
    .where('source', '<>', 'observed')
    .orderBy('name')
    .orderBy('client_id')
    .execute();
}

/**
 * Whether a token of an app (of any holder or of one) waits for a consent that would concern a person. A token of a
 * retired app does not. The search stops at the first such token.
 */
export async function hasWaiting(
  db: Database,
  { clientId, holder }: { clientId: string; holder?: { by: NamedPerson['by']; name: string } },
): Promise<boolean> {
  const { by, name = '' } = holder ?? {};
  const row = await db
    .selectFrom('mappings as m')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .select('m.id')
    .where('m.client_id', '=', clientId)
    .$if(by === 'account', (query) => query.where('m.account_id', '=', name))
    .$if(by === 'email', (query) =>
      query.where('m.account_id', 'is', null).where('m.account_email', '=', name),
    )
    .where('m.state', 'in', WAITING_STATES)
    .where(IS_CONCERNED)
    .where('a.retired_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The addresses under which tokens or apps of these accounts once waited. */
export async function readEarlierEmails(
  db: Database,
  accountIds: readonly string[],
): Promise<Array<{ account_id: string | null; email: string | null }>> {
  const tokens = db
    .selectFrom('mappings')
    .select(['account_id', 'account_email as email'])
    .where(isOneOf(db, 'account_id', accountIds))
    .where('account_email', 'is not', null);
  const apps = db
    .selectFrom('apps')
    .select(['owner_account_id as account_id', 'owner_email as email'])
    .where(isOneOf(db, 'owner_account_id', accountIds))
    .where('owner_email', 'is not', null);
  return tokens.union(apps).orderBy('email').execute();
}
