import { sql } from 'kysely';
import { newestCounts } from './desk-sources.ts';
import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import { type App, WAITING_STATES } from '../tables/tables.ts';

/** The rows of one page of a desk, by their ids, in no order. */

/**
 * One token of a grant's app and account. First choice: an active token of the grant. Next: a stopped token. Next:
 * another token of the grant.
 */
const TOKEN_OF_GRANT = sql<string>`(select t.id from mappings t
  where t.client_id = g.client_id and t.account_id = g.account_id
  order by case when t.grant_id = g.id and t.state = 'active' then 0
    when t.state = 'reauthorization_required' then 1 when t.grant_id = g.id then 2 else 3 end, t.id limit 1)`;

/**
 * Whether another grant of the account, live or handed over, belongs to the same client at the new API. That grant
 * would end with the whole consent.
 */
const HAS_SIBLING = sql<number>`case when exists (select 1 from grants o where o.account_id = g.account_id
  and o.modern_client_id = g.modern_client_id and o.id <> g.id
  and (o.state <> 'dead' or o.dead_cause = 'handed_over')) then 1 else 0 end`;

/** Grants with their app, account and one token. */
export async function grantDeskRows(db: Database, ids: readonly string[]) {
  return db
    .selectFrom('grants as g')
    .innerJoin('apps as a', 'a.client_id', 'g.client_id')
    .leftJoin('accounts as c', 'c.account_id', 'g.account_id')
    .leftJoin('mappings as m', (join) => join.on('m.id', '=', TOKEN_OF_GRANT))
    .select(['g.id', 'g.state', 'g.presented_at', 'g.restored_at', 'g.doubt_since', 'g.access_expires_at'])
    .select(['g.dead_at', 'g.dead_cause', HAS_SIBLING.as('has_sibling')])
    .select(['g.client_id', 'a.name as app_name', 'a.retired_at as app_retired_at'])
    .select(['g.account_id', 'c.email', 'c.name', 'm.id as mapping_id', 'm.hint_first', 'm.hint_last'])
    .where(isOneOf(db, 'g.id', ids))
    .execute();
}

/** Hand-overs with their app and account. */
export async function handoverDeskRows(db: Database, ids: readonly string[]) {
  return db
    .selectFrom('handovers as g')
    .innerJoin('apps as a', 'a.client_id', 'g.client_id')
    .leftJoin('accounts as c', 'c.account_id', 'g.account_id')
    .select(['g.grant_id as id', 'g.handed_at', 'g.migrated_tokens'])
    .select(['g.client_id', 'a.name as app_name', 'g.account_id', 'c.email', 'c.name'])
    .where(isOneOf(db, 'g.grant_id', ids))
    .execute();
}

/** Extensions with their app. */
export async function extensionDeskRows(db: Database, ids: readonly string[]) {
  return db
    .selectFrom('extensions as e')
    .innerJoin('apps as a', 'a.client_id', 'e.client_id')
    .select(['e.id', 'e.name as milestone', 'e.until', 'e.reason', 'e.client_id', 'a.name as app_name'])
    .where(isOneOf(db, 'e.id', ids))
    .execute();
}

interface WaitingRow {
  id: string;
  client_id: string;
  app_name: string;
  owner_account_id: string | null;
  /** The address of an owner whose account is not known: nobody has proven it. */
  owner_email: string | null;
  source: App['source'];
  active: number;
  /** Counts of waiting tokens, and of waiting people. */
  waiting: number;
  people: number;
}

/** Apps with their last token counts. */
export async function waitingDeskRows(db: Database, ids: readonly string[]): Promise<WaitingRow[]> {
  const { rows } = await sql<WaitingRow>`
    select a.client_id as id, a.client_id, a.name as app_name, a.owner_account_id, a.owner_email, a.source, p.active,
      p.unmapped + p.reauthorization_required as waiting, p.waiting_people as people
    from ${newestCounts(db)} where ${isOneOf(db, 'a.client_id', ids)}`.execute(db);
  return rows;
}

/** Tokens with their app. */
export async function tokenDeskRows(db: Database, ids: readonly string[]) {
  return db
    .selectFrom('mappings as m')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .select(['m.id', 'm.hint_first', 'm.hint_last', 'm.client_id', 'a.name as app_name'])
    .where(isOneOf(db, 'm.id', ids))
    .execute();
}

/** Tokens without a proven app, with their account and the number of tokens that share their grant. */
export async function unprovenDeskRows(db: Database, ids: readonly string[]) {
  return db
    .selectFrom('mappings as m')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .leftJoin('accounts as c', 'c.account_id', 'm.account_id')
    .select(['m.id', 'm.id as mapping_id', 'm.hint_first', 'm.hint_last', 'm.client_id', 'm.created_at'])
    .select(['a.name as app_name', 'm.account_id', 'c.email', 'c.name'])
    .select((eb) =>
      eb
        .selectFrom('mappings as o')
        .select((other) => other.fn.countAll<number>().as('n'))
        .whereRef('o.grant_id', '=', 'm.grant_id')
        .where('o.state', '=', 'active')
        .as('sharing'),
    )
    .where(isOneOf(db, 'm.id', ids))
    .execute();
}

const WAITS = sql`t.client_id = r.client_id and t.state in (${sql.join(WAITING_STATES.map((state) => sql.lit(state)))})`;

/**
 * A waiting token that the reader of a reminder can act on: any of the app for its owner; of a holder, one of the
 * account, or of the address when no account is known by it. None of a retired app, which nobody can connect.
 */
const TOKEN_OF_PERSON = sql<string | null>`case when a.retired_at is not null then null when r.role = 'owner'
  then (select t.id from mappings t where ${WAITS} limit 1)
  else coalesce(
    (select t.id from mappings t where ${WAITS} and t.account_id = substr(r.person, 9) limit 1),
    (select t.id from mappings t where ${WAITS} and t.account_email = substr(r.person, 7) and t.account_id is null
      limit 1)) end`;

/** The names of people with a known account, by `account:ID`. */
async function namesOf(db: Database, mails: ReadonlyArray<{ person: string }>) {
  const ids = mails.map(({ person }) => /^account:(.+)$/.exec(person)?.[1] ?? '').filter(Boolean);
  const rows = await db
    .selectFrom('accounts')
    .select(['account_id', 'name'])
    .where(isOneOf(db, 'account_id', ids))
    .execute();
  return new Map(rows.map(({ account_id: id, name }) => [`account:${id}`, name]));
}

/** Undeliverable mails, each with its reminders and, where known, a token of the person and app. */
export async function mailDeskRows(db: Database, ids: readonly string[]) {
  const mails = await db
    .selectFrom('mails')
    .select(['id', 'person', 'address', 'failure', 'ended_at', 'created_at'])
    .where(isOneOf(db, 'id', ids))
    .execute();
  const reminders = await db
    .selectFrom('reminders as r')
    .innerJoin('apps as a', 'a.client_id', 'r.client_id')
    .select(['r.mail_id', 'r.client_id', 'a.name as app_name', 'a.retired_at as app_retired_at'])
    .select(['r.role', 'r.stage'])
    .select(TOKEN_OF_PERSON.as('mapping_id'))
    .where(isOneOf(db, 'r.mail_id', ids))
    .where('r.dropped_at', 'is', null)
    .orderBy('a.name')
    .orderBy('r.id')
    .execute();
  const names = await namesOf(db, mails);
  return mails.map((mail) => ({
    ...mail,
    name: names.get(mail.person) ?? null,
    reminders: reminders.filter(({ mail_id }) => mail_id === mail.id),
  }));
}
