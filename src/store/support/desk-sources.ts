import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { contains, isOneOf, isSqlite } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import { isSuperseded } from '../grants/handovers.ts';

/** Where the rows of each desk of support stand: one condition, the tabs within it, and the orders, each by an index. */

/** An order: by a number and then by the id of the row. */
interface DeskOrder {
  rank: RawBuilder<number>;
  /** Rising unless this is set. */
  isFalling?: boolean;
}

/** What a search fits: apps and accounts by their names, and a text in each spelling that a database may need. */
export interface DeskFind {
  clientIds: readonly string[];
  accountIds: readonly string[];
  texts: readonly string[];
}

/** The rows of one desk. Its conditions repeat those of the partial index in its own words, as SQLite wants them. */
export interface DeskSource {
  from: RawBuilder<unknown>;
  id: RawBuilder<string>;
  is: RawBuilder<SqlBool>;
  tabs: Readonly<Record<string, RawBuilder<SqlBool>>>;
  /** The first one is that of an address that names none. */
  sorts: Readonly<Record<string, DeskOrder>>;
  finds: (find: DeskFind) => RawBuilder<SqlBool>;
}

const ID = sql<string>`d.id`;

/** Whether the row is of one of the apps or accounts. */
const ofNamed = (db: Database) => (find: DeskFind) =>
  sql<SqlBool>`(${isOneOf(db, 'd.client_id', find.clientIds)} or ${isOneOf(db, 'd.account_id', find.accountIds)})`;

/** Grants in doubt, or presented before a time without an outcome. After a take-over every grant is in doubt. */
export const grantsInDoubt = (db: Database, presentedBefore: number): DeskSource => ({
  from: sql`grants d`,
  id: ID,
  // Repeats the condition of the index grants_unsettled_by_expiry.
  is: sql`d.state in ('presenting', 'in_doubt') and (d.state = 'in_doubt' or d.presented_at <= ${presentedBefore})`,
  tabs: { doubt: sql`d.state = 'in_doubt'`, sent: sql`d.state = 'presenting'` },
  sorts: {
    urgent: { rank: sql`d.access_expires_at` },
    last: { rank: sql`d.access_expires_at`, isFalling: true },
  },
  finds: ofNamed(db),
});

/** Undeliverable mails that support has not dealt with. */
export const undeliverableMails = (db: Database): DeskSource => ({
  from: sql`mails d`,
  id: ID,
  // Repeats the condition of the index mails_undeliverable.
  is: sql`d.state = 'undeliverable' and d.settled_at is null`,
  tabs: {},
  sorts: { newest: { rank: sql`d.ended_at`, isFalling: true }, oldest: { rank: sql`d.ended_at` } },
  finds: ({ clientIds, accountIds, texts }) => {
    const people = [...texts, ...accountIds.map((id) => `account:${id}`)];
    // Without `account:` or `email:`, in which a part of a word such as “mail” stands in every row.
    const person = sql`substr(d.person, case when substr(d.person, 1, 6) = 'email:' then 7 else 9 end)`;
    return sql`(${contains(db, sql`coalesce(d.address, '') || ' ' || ${person}`, texts)} or ${isOneOf(db, 'd.person', people)}
      or exists (select 1 from reminders r where r.mail_id = d.id and ${isOneOf(db, 'r.client_id', clientIds)}))`;
  },
});

/** Hand-overs since a time that somebody waits for. Without those of retired apps, which cannot confirm. */
export const openHandovers = (db: Database, since: number): DeskSource => ({
  from: sql`handovers d join apps a on a.client_id = d.client_id and a.retired_at is null`,
  id: sql`d.grant_id`,
  is: sql`d.confirmed_at is null and d.handed_at >= ${since} and not ${isSuperseded('d')}`,
  tabs: {},
  sorts: { urgent: { rank: sql`d.handed_at` }, newest: { rank: sql`d.handed_at`, isFalling: true } },
  finds: ofNamed(db),
});

/** Active tokens whose app is not proven. */
export const tokensUnproven = (db: Database): DeskSource => ({
  from: sql`mappings d`,
  id: ID,
  // Repeats the condition of the index mappings_unproven.
  is: sql`d.source = 'observed' and d.app_proven = 0 and d.state = 'active'`,
  tabs: {},
  sorts: { newest: { rank: sql`d.created_at`, isFalling: true }, oldest: { rank: sql`d.created_at` } },
  finds: ofNamed(db),
});

/**
 * How many tokens of retired apps wait under each name. The kept numbers have them too, because triggers on tokens do not see
 * that an app is retired. For SQLite: `cross join` begins with the few retired apps, where it would begin with all tokens; and it
 * makes an index of columns with a type alone.
 */
const NAMES_OF_RETIRED = sql`(select
    cast(coalesce('email:' || m.account_email, 'old:' || m.legacy_account_id) as text) as name,
    cast(count(*) as integer) as tokens
  from apps a cross join mappings m
  where a.retired_at is not null and m.client_id = a.client_id and m.state = 'unmapped' and m.account_id is null
  group by 1)`;

/**
 * Under which names tokens wait that have no account. Without names of which every token is of a retired app, about
 * which nothing can be done. A name is ranked by all its tokens, so that the order is that of an index.
 */
export const waitingNames = (db: Database): DeskSource => ({
  from: sql`waiting_names d left join ${NAMES_OF_RETIRED} r on r.name = d.name and r.tokens = d.tokens`,
  id: ID,
  is: sql`r.name is null`,
  tabs: {
    // Not by order: what stands after a colon depends on the collation of the database.
    address: sql`substr(d.name, 1, 6) = 'email:'`,
    'old-id': sql`substr(d.name, 1, 4) = 'old:'`,
  },
  sorts: { most: { rank: sql`d.tokens`, isFalling: true }, fewest: { rank: sql`d.tokens` } },
  finds: ({ texts }) =>
    contains(db, sql`substr(d.name, case when substr(d.name, 1, 4) = 'old:' then 5 else 7 end)`, texts),
});

/** Later than any time in milliseconds that a person can mean. */
const AFTER_ALL = 1e13;

/**
 * Extensions in force that end between two times: first future ends, earliest first, then past ends, latest first. Without
 * those of retired apps, about which nothing can be done.
 */
export const extensionsThatEnd = (
  db: Database,
  { now, after, before }: { now: number; after: number; before: number },
): DeskSource => ({
  from: sql`extensions d join apps a on a.client_id = d.client_id and a.retired_at is null`,
  id: ID,
  is: sql`d.ended_at is null and d.until > ${after} and d.until < ${before}`,
  tabs: { ahead: sql`d.until > ${now}`, over: sql`d.until <= ${now}` },
  sorts: {
    urgent: { rank: sql`case when d.until > ${now} then d.until else ${sql.lit(AFTER_ALL)} - d.until end` },
  },
  finds: ({ clientIds, texts }) =>
    sql`(${isOneOf(db, 'd.client_id', clientIds)} or ${contains(db, sql`d.reason`, texts)})`,
});

/**
 * Apps (`a`), each with its newest row of `progress` (`p`); an app that was never counted is left out. PostgreSQL would
 * read all days of all apps for the query that suits SQLite, so each database has its own query.
 */
export function newestCounts(db: Database): RawBuilder<unknown> {
  return isSqlite(db)
    ? sql`apps a join progress p on p.client_id = a.client_id
        and p.day = (select max(n.day) from progress n where n.client_id = a.client_id)`
    : sql`apps a cross join lateral
        (select * from progress n where n.client_id = a.client_id order by n.day desc limit 1) p`;
}

/** Where apps stand on the desk of waiting people: lower comes first. Of one place, the most people come first. */
export interface WaitingPlaces {
  /** The place of every app that has none of its own. */
  common: number;
  /** Apps with dates of their own. */
  own: ReadonlyArray<{ id: string; place: number }>;
  /** The place of apps without a date, and of apps whose sunset has come. */
  noDate: number;
  ended: number;
}

/** More people than any app has, so the place outweighs the number of people in a rank. */
const PEOPLE = 1e9;

/** Apps for which people wait, as last counted. */
export function appsThatWait(db: Database, { common, own, noDate, ended }: WaitingPlaces): DeskSource {
  // A list that is joined would be read for each app.
  const places = JSON.stringify(Object.fromEntries(own.map(({ id, place }) => [id, place])));
  const ownPlace = isSqlite(db)
    ? sql<number>`${places} ->> a.client_id`
    : sql<number>`(${places}::jsonb ->> a.client_id)::bigint`;
  const place = sql<number>`coalesce(${ownPlace}, ${sql.lit(common)})`;
  return {
    from: newestCounts(db),
    id: sql`a.client_id`,
    is: sql`a.retired_at is null and p.waiting_people > 0`,
    tabs: {
      refused: sql`${place} = 0`,
      dated: sql`${place} > 0 and ${place} < ${sql.lit(noDate)}`,
      undated: sql`${place} = ${sql.lit(noDate)}`,
      ended: sql`${place} = ${sql.lit(ended)}`,
    },
    sorts: {
      urgent: { rank: sql`${place} * ${sql.lit(PEOPLE)} - p.waiting_people` },
      people: { rank: sql`p.waiting_people`, isFalling: true },
    },
    finds: ({ clientIds, accountIds, texts }) =>
      sql`(${isOneOf(db, 'a.client_id', clientIds)} or ${isOneOf(db, 'a.owner_account_id', accountIds)}
        or ${contains(db, sql`coalesce(a.owner_email, '')`, texts)})`,
  };
}
