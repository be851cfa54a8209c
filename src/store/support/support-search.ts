import { type RawBuilder, sql } from 'kysely';
import { BESIDE_MAPPING, type MappingRow } from '../tokens/find-mappings.ts';
import { groupBy } from '../../shared/group-by.ts';
import { isOneOf, isSqlite } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { Mapping } from '../tables/tables.ts';

/** The searches of support. Each search uses its own index, or scans the apps, which are few. */

type FilterColumn =
  | 'id'
  | 'hint_first'
  | 'hint_last'
  | 'account_email'
  | 'legacy_account_id'
  | 'grant_id'
  | 'client_id'
  | 'account_id'
  | 'state';

/** Columns to search mappings by. A mapping has to match all of them. */
export type MappingFilter = Partial<Pick<Mapping, FilterColumn>>;

/**
 * Mappings with these marks, newest first. A search by an address or an old id finds only mappings without an account.
 */
export async function mappingsWith(db: Database, marks: MappingFilter, limit: number): Promise<MappingRow[]> {
  const waits = marks.account_email !== undefined || marks.legacy_account_id !== undefined;
  let query = db
    .selectFrom('mappings as m')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .leftJoin('accounts as c', 'c.account_id', 'm.account_id')
    .selectAll('m')
    .select(BESIDE_MAPPING);
  for (const [column, value] of Object.entries(marks) as Array<[FilterColumn, string]>)
    query = query.where(`m.${column}`, '=', value);
  if (waits) query = query.where('m.account_id', 'is', null);
  return query.orderBy('m.created_at', 'desc').orderBy('m.id').limit(limit).execute();
}

/** An account as the new API last reported it. */
export interface AccountFound {
  account_id: string;
  name: string | null;
  email: string | null;
}

/** The account with an id, or the accounts with an address (in lower case). */
export async function accountsWith(
  db: Database,
  mark: { id: string } | { email: string },
  limit?: number,
): Promise<AccountFound[]> {
  const query = db.selectFrom('accounts').select(['account_id', 'name', 'email']);
  const found =
    'id' in mark
      ? query.where('account_id', '=', mark.id)
      : query.where('email', 'is not', null).where(sql`lower(email)`, '=', mark.email);
  return found
    .orderBy('account_id')
    .$if(limit !== undefined, (some) => some.limit(limit ?? 0))
    .execute();
}

/** Sorts after every text that begins with the text before it. */
const LAST_CHARACTER = '\u{10FFFF}';

const folded = (text: string) => sql`lower(cast(${text} as text))`;

/** The index holds this many characters of a name, because PostgreSQL allows no long entries. */
const INDEXED = 100;

/** Accounts by their whole name, or by its beginning (`isWhole` false), in the database's lower case. */
export async function accountsNamed(
  db: Database,
  { name, isWhole }: { name: string; isWhole: boolean },
  limit: number,
): Promise<AccountFound[]> {
  const startOf = (text: RawBuilder<unknown>) =>
    isSqlite(db) ? sql`substr(${text}, 1, ${sql.lit(INDEXED)})` : sql`left(${text}, ${sql.lit(INDEXED)})`;
  // Compares by bytes, as SQLite does.
  const inBytes = (text: RawBuilder<unknown>) => (isSqlite(db) ? text : sql`(${text} collate "C")`);
  const whole = inBytes(sql`lower(name)`);
  // Repeats the expression of the index.
  const start = inBytes(startOf(sql`lower(name)`));
  const wanted = startOf(folded(name));
  const query = db
    .selectFrom('accounts')
    .select(['account_id', 'name', 'email'])
    .where('name', 'is not', null);
  const found = isWhole
    ? query.where(start, '=', wanted).where(whole, '=', folded(name))
    : query
        .where(start, '>=', wanted)
        .where(start, '<', sql`${wanted} || ${sql.lit(LAST_CHARACTER)}`)
        .where(whole, '>=', folded(name))
        .where(whole, '<', folded(name + LAST_CHARACTER));
  return found
    .$if(!isWhole, (some) => some.orderBy(start))
    .orderBy('account_id')
    .limit(limit)
    .execute();
}

/** The account of an old account id, according to the known pair. */
export async function accountOfLegacyId(db: Database, legacyId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('id_pairs')
    .select('modern_id')
    .where('kind', '=', 'account')
    .where('legacy_id', '=', legacyId)
    .executeTakeFirst();
  return row?.modern_id ?? undefined;
}

/** An app in a list. */
export interface AppFound {
  client_id: string;
  name: string;
  source: string;
  retired_at: number | null;
}

const apps = (db: Database) => db.selectFrom('apps').select(['client_id', 'name', 'source', 'retired_at']);

/** The app with a client id, retired or not. */
export async function appWithId(db: Database, clientId: string): Promise<AppFound | undefined> {
  return apps(db).where('client_id', '=', clientId).executeTakeFirst();
}

/** The apps whose owner waits under an address (in lower case), or that have this contact address, by name. */
export async function appsWithAddress(db: Database, address: string, limit: number): Promise<AppFound[]> {
  return apps(db)
    .where((eb) =>
      eb.or([
        eb('owner_email', '=', address),
        eb(
          'client_id',
          'in',
          eb.selectFrom('app_contacts').select('client_id').where(sql`lower(address)`, '=', address),
        ),
      ]),
    )
    .orderBy('name')
    .orderBy('client_id')
    .limit(limit)
    .execute();
}

/** An app with what it can be searched by. */
export interface AppWords {
  app: AppFound;
  owner_email: string | null;
  callbacks: string[];
}

/** Apps page by page, for a search outside the database, because the databases differ in their lower case. */
export async function listForNames(
  db: Database,
  { after, limit }: { after: string; limit: number },
): Promise<AppWords[]> {
  const rows = await apps(db)
    .select('owner_email')
    .where('client_id', '>', after)
    .orderBy('client_id')
    .limit(limit)
    .execute();
  const callbacks = await db
    .selectFrom('app_callbacks')
    .select(['client_id', 'uri'])
    .where('client_id', '>', after)
    .where('client_id', '<=', rows.at(-1)?.client_id ?? after)
    .execute();
  const byApp = groupBy(callbacks, ({ client_id: id }) => id);
  return rows.map(({ owner_email, ...app }) => ({
    app,
    owner_email,
    callbacks: (byApp.get(app.client_id) ?? []).map(({ uri }) => uri),
  }));
}

/** The tokens that wait under some addresses, newest first. */
export async function mappingsUnder(
  db: Database,
  addresses: readonly string[],
  limit: number,
): Promise<MappingRow[]> {
  return db
    .selectFrom('mappings as m')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .leftJoin('accounts as c', 'c.account_id', 'm.account_id')
    .selectAll('m')
    .select(BESIDE_MAPPING)
    .where('m.account_id', 'is', null)
    .where(isOneOf(db, 'm.account_email', addresses))
    .orderBy('m.created_at', 'desc')
    .orderBy('m.id')
    .limit(limit)
    .execute();
}

/** Accounts by their ids, in the order of their names. */
export async function accountsOf(db: Database, ids: readonly string[]): Promise<AccountFound[]> {
  return db
    .selectFrom('accounts')
    .select(['account_id', 'name', 'email'])
    .where(isOneOf(db, 'account_id', ids))
    .orderBy('name')
    .orderBy('account_id')
    .execute();
}

/** The person that a mail was for: `account:ID` or `email:ADDRESS`. */
export async function personOfMail(db: Database, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('mails').select('person').where('id', '=', id).executeTakeFirst();
  return row?.person;
}
