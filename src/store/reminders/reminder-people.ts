import { type RawBuilder, sql } from 'kysely';
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

/** The addresses after this address, in the database's order, under which tokens or apps wait for an account. */
export async function waitingEmailsAfter(db: Database, email: string, limit: number): Promise<string[]> {
  const tokens = db
    .selectFrom('mappings')
    .select('account_email as email')
    .where('account_id', 'is', null)
    .where('account_email', '>', email)
    .where('state', 'in', WAITING_STATES);
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

/** The tokens of one person at one app that wait for a consent. */
export interface HolderRow {
  person: string;
  client_id: string;
  app_name: string;
  waiting: number;
  last_used_at: number | null;
  woken_at: number | null;
  died_at: number | null;
  known_since: number | null;
}

/** The token that an app gets with its registration, when unused, concerns no person: its end breaks no program. */
const IS_CONCERNED = sql<boolean>`not (m.state = 'unmapped' and m.source = 'registration' and m.last_used_at is null)`;

/**
 * The waiting tokens of these people, grouped by app in the order of the names of apps; unidentified programs are
 * included.
 */
export async function readHolderRows(db: Database, { by, names }: NamedPerson): Promise<HolderRow[]> {
  const person = sql.ref<string>(by === 'account' ? 'm.account_id' : 'm.account_email');
  return db
    .selectFrom('mappings as m')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .leftJoin('grants as g', (join) =>
      join
        .onRef('g.id', '=', 'm.grant_id')
        .on('m.state', '=', 'reauthorization_required')
        .on('g.state', '=', 'dead')
        .on('g.dead_cause', 'in', DIED_OF),
    )
    .select((eb) => [
      person.as('person'),
      'm.client_id',
      'a.name as app_name',
      eb.fn.countAll<number>().as('waiting'),
      eb.fn.max('m.last_used_at').as('last_used_at'),
      eb.fn.max('m.woken_at').as('woken_at'),
      eb.fn.max('g.dead_at').as('died_at'),
      eb.fn.max('m.updated_at').as('known_since'),
    ])
    .where(isOneOf(db, person, names))
    .$if(by === 'email', (query) => query.where('m.account_id', 'is', null))
    .where('m.state', 'in', WAITING_STATES)
    .where(IS_CONCERNED)
    .where('a.retired_at', 'is', null)
    .groupBy([person, 'm.client_id', 'a.name'])
    .orderBy('a.name')
    .orderBy('m.client_id')
    .execute();
}

/** An app of one person with the counts of its tokens. */
export interface OwnerRow {
  person: string;
  client_id: string;
  app_name: string;
  waiting: number;
  active: number;
  accounts_waiting: number;
  accounts_active: number;
  last_used_at: number | null;
  waiting_used_at: number | null;
  passed_at: number | null;
  known_since: number | null;
}

const ACTIVE = sql<boolean>`m.state = 'active'`;
const REST = sql<boolean>`m.state <> 'active'`;
const countIf = (condition: RawBuilder<boolean>) => sql<number>`count(case when ${condition} then 1 end)`;
const accountsIf = (condition: RawBuilder<boolean>) =>
  sql<number>`count(distinct case when ${condition} then coalesce(m.account_id, m.account_email) end)`;

/** The live apps of these people, by name, without unidentified programs. */
export async function readOwnerRows(db: Database, { by, names }: NamedPerson): Promise<OwnerRow[]> {
  const person = sql.ref<string>(by === 'account' ? 'a.owner_account_id' : 'a.owner_email');
  return db
    .selectFrom('apps as a')
    .leftJoin('mappings as m', (join) =>
      join
        .onRef('m.client_id', '=', 'a.client_id')
        .on('m.state', 'in', [...WAITING_STATES, 'active'])
        .on(IS_CONCERNED),
    )
    .select((eb) => [
      person.as('person'),
      'a.client_id',
      'a.name as app_name',
      countIf(REST).as('waiting'),
      countIf(ACTIVE).as('active'),
      accountsIf(REST).as('accounts_waiting'),
      accountsIf(ACTIVE).as('accounts_active'),
      eb.fn.max('m.last_used_at').as('last_used_at'),
      sql<number | null>`max(case when ${REST} then m.last_used_at end)`.as('waiting_used_at'),
      'a.passed_at',
      sql<number | null>`max(case when ${REST} then m.updated_at end)`.as('known_since'),
    ])
    .where(isOneOf(db, person, names))
    .$if(by === 'email', (query) => query.where('a.owner_account_id', 'is', null))
    .where('a.retired_at', 'is', null)
    .where('a.source', '<>', 'observed')
    .groupBy([person, 'a.client_id', 'a.name', 'a.passed_at'])
    .orderBy('a.name')
    .orderBy('a.client_id')
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
