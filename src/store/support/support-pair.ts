import { type Selectable, sql } from 'kysely';
import type { ExistingTokenTables } from '../tables/existing-token-tables.ts';
import type { LifecycleTables } from '../tables/lifecycle.ts';
import type { AppAccount } from '../tokens/mappings.ts';
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

/** The newest hand-over of a pair. */
export async function findNewestHandover(
  db: Database,
  pair: AppAccount,
): Promise<
  Pick<Selectable<ExistingTokenTables['handovers']>, 'grant_id' | 'handed_at' | 'confirmed_at'> | undefined
> {
  return db
    .selectFrom('handovers')
    .select(['grant_id', 'handed_at', 'confirmed_at'])
    .where('client_id', '=', pair.clientId)
    .where('account_id', '=', pair.accountId)
    .orderBy('handed_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

type MailsRow = Selectable<LifecycleTables['mails']>;
type RemindersRow = Selectable<LifecycleTables['reminders']>;

/** One reminder with its mail and the name of its app. */
export type ReminderMail = { app_name: string; settler_name: string | null } & Pick<
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

const SETTLER = sql<string>`substr(m.settled_by, 9)`;

const reminders = (db: Database) =>
  db
    .selectFrom('reminders as r')
    .innerJoin('mails as m', 'm.id', 'r.mail_id')
    .innerJoin('apps as a', 'a.client_id', 'r.client_id')
    // `settled_by` of staff is `account:ID`.
    .leftJoin('accounts as s', (join) => join.on('s.account_id', '=', SETTLER))
    .select([
      'r.mail_id',
      'r.person',
      'r.client_id',
      'r.role',
      'r.stage',
      'r.planned_for',
      'a.name as app_name',
      'm.address',
      'm.state',
    ])
    .select([
      'm.attempts',
      'm.next_at',
      'm.failure',
      'm.created_at',
      'm.ended_at',
      'm.settled_at',
      'm.settled_by',
      's.name as settler_name',
    ])
    .orderBy('m.created_at', 'desc')
    .orderBy('r.id');

interface MailQuery {
  people: readonly string[];
  /** Restricts the list to this app. */
  clientId?: string;
  only?: Pick<RemindersRow, 'role' | 'stage'> & { planned_for?: string };
}

/** The reminders that these people got or should have got, of one app or of all, newest first. */
export async function listMailsTo(
  db: Database,
  { people, clientId, only }: MailQuery,
  limit: number,
): Promise<ReminderMail[]> {
  if (people.length === 0) return [];
  return (
    reminders(db)
      .where('r.person', 'in', people)
      .$if(clientId !== undefined, (query) => query.where('r.client_id', '=', clientId ?? ''))
      .$if(only !== undefined, (query) =>
        query.where('r.role', '=', only?.role ?? 'holder').where('r.stage', '=', only?.stage ?? ''),
      )
      .$if(only?.planned_for !== undefined, (query) =>
        query.where('r.planned_for', '=', only?.planned_for ?? ''),
      )
      // Without an app, repeats the condition of the index reminders_once, which leaves out dropped reminders.
      .$if(clientId === undefined, (query) => query.where('r.dropped_at', 'is', null))
      .limit(limit)
      .execute()
  );
}
