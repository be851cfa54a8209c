import { type Selectable, sql } from 'kysely';
import type { ExistingTokenTables } from '../tables/existing-token-tables.ts';
import type { LifecycleTables } from '../tables/lifecycle.ts';
import type { AppAccount } from '../tokens/mappings.ts';
import { LEAKED_STAGE } from '../reminders/leak-readers.ts';
import type { Database } from '../driver/store.ts';
import type { Grant } from '../tables/tables.ts';

/** The data behind the tokens of one app and account, without any secret. */

const GRANT_COLUMNS = [
  'id',
  'modern_client_id',
  'state',
  'version',
  'scope',
  'access_expires_at',
  'presented_at',
  'doubt_since',
  'retry_at',
  'suspect_until',
  'dead_at',
  'dead_cause',
  'created_at',
  'rotated_at',
  'restored_at',
] as const;

/** A grant without its sealed pair. */
export type ShownGrant = Pick<Grant, (typeof GRANT_COLUMNS)[number]>;

/** The grants of a pair, newest first. */
export async function listGrantsOf(db: Database, pair: AppAccount, limit: number): Promise<ShownGrant[]> {
  return db
    .selectFrom('grants')
    .select(GRANT_COLUMNS)
    .where('client_id', '=', pair.clientId)
    .where('account_id', '=', pair.accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** One grant. Its pair may differ from the present pair of its token. */
export async function findShownGrant(db: Database, id: string): Promise<ShownGrant | undefined> {
  return db.selectFrom('grants').select(GRANT_COLUMNS).where('id', '=', id).executeTakeFirst();
}

/** When the link of a pair was made, and when a consent was last finished. */
export async function findLinkState(
  db: Database,
  pair: AppAccount,
): Promise<
  Pick<Selectable<ExistingTokenTables['reauthorization_links']>, 'created_at' | 'used_at'> | undefined
> {
  return db
    .selectFrom('reauthorization_links')
    .select(['created_at', 'used_at'])
    .where('client_id', '=', pair.clientId)
    .where('account_id', '=', pair.accountId)
    .executeTakeFirst();
}

/** The stage of a mail about a leaked token. */
const LEAKED = sql.lit(LEAKED_STAGE);

type MailsRow = Selectable<LifecycleTables['mails']>;
type RemindersRow = Selectable<LifecycleTables['reminders']>;

/** One reminder with its mail and the name of its app; `of_mail` is how many such reminders the mail has. */
export type ReminderMail = { app_name: string; of_mail: number } & Pick<
  RemindersRow,
  'mail_id' | 'person' | 'client_id' | 'role' | 'stage' | 'planned_for'
> &
  Pick<
    MailsRow,
    | 'address'
    | 'state'
    | 'attempts'
    | 'next_at'
    | 'failure'
    | 'created_at'
    | 'ended_at'
    | 'settled_at'
    | 'settled_by'
  >;

interface MailQuery {
  people: readonly string[];
  /** Restricts the list to this app. */
  clientId?: string;
  only?: Pick<RemindersRow, 'role' | 'stage'>;
  /** Of leaks, restricts the list to what tells of this token. A mail about leaks has a reminder for each token. */
  leakOf?: string;
}

/** The reminders that a query asks for, each with its mail. */
const remindersOf = (db: Database, { people, clientId, only, leakOf }: MailQuery) =>
  db
    .selectFrom('reminders as r')
    .innerJoin('mails as m', 'm.id', 'r.mail_id')
    .where('r.person', 'in', people)
    .$if(clientId !== undefined, (query) => query.where('r.client_id', '=', clientId ?? ''))
    .$if(only !== undefined, (query) =>
      query.where('r.role', '=', only?.role ?? 'holder').where('r.stage', '=', only?.stage ?? ''),
    )
    .$if(leakOf !== undefined, (query) =>
      query.where((eb) => eb.or([eb('r.stage', '<>', LEAKED), eb('r.planned_for', '=', leakOf ?? '')])),
    )
    // Without an app, repeats the condition of the index reminders_once, which leaves out dropped reminders.
    .$if(clientId === undefined, (query) => query.where('r.dropped_at', 'is', null));

/** The most subjects of one mail that are read. A mail may have a thousand. */
const SUBJECTS_MAX = 20;

const MAIL_COLUMNS = [
  'm.address',
  'm.state',
  'm.attempts',
  'm.next_at',
  'm.failure',
  'm.created_at',
  'm.ended_at',
  'm.settled_at',
  'm.settled_by',
] as const;

/** The newest mails that these people got or should have got, of one app or of all, with their first subjects. */
export async function listMailsTo(db: Database, query: MailQuery, limit: number): Promise<ReminderMail[]> {
  if (query.people.length === 0) return [];
  const newest = remindersOf(db, query)
    .select('r.mail_id')
    .groupBy(['r.mail_id', 'm.created_at'])
    .orderBy('m.created_at', 'desc')
    .orderBy('r.mail_id')
    .limit(limit);
  const ids = (await newest.execute()).map(({ mail_id: id }) => id);
  if (ids.length === 0) return [];
  const subjects = remindersOf(db, query)
    .innerJoin('apps as a', 'a.client_id', 'r.client_id')
    .select(['r.id', 'r.mail_id', 'r.person', 'r.client_id', 'r.role', 'r.stage', 'r.planned_for'])
    .select(['a.name as app_name', ...MAIL_COLUMNS])
    .select([
      sql<number>`row_number() over (partition by r.mail_id order by r.id)`.as('place'),
      // PostgreSQL gives the number of a count as a text.
      sql<number | string>`count(*) over (partition by r.mail_id)`.as('of_mail'),
    ])
    .where('r.mail_id', 'in', ids);
  const rows = await db
    .selectFrom(subjects.as('s'))
    .selectAll()
    .where('place', '<=', SUBJECTS_MAX)
    .orderBy('created_at', 'desc')
    .orderBy('mail_id')
    .orderBy('place')
    .execute();
  return rows.map((row) => ({ ...row, of_mail: Number(row.of_mail) }));
}
