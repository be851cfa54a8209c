import { type Insertable, type Selectable, sql, type SqlBool } from 'kysely';
import { type LifecycleTables, type MailState, MILESTONES } from '../tables/lifecycle.ts';
import { insertionOf, isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';

/**
 * The ledger of reminders: which mail told, or will tell, a person of a stage. Its unique keys keep a reminder from
 * being sent twice.
 */

export type NewMail = Insertable<LifecycleTables['mails']>;
export type NewReminder = Insertable<LifecycleTables['reminders']>;
export type ReminderRow = Selectable<LifecycleTables['reminders']>;

/** The day at the end of `planned_for`, for a calendar stage. */
const DAY_PLANNED = sql`substr(planned_for, length(planned_for) - 9)`;

/**
 * The reminders that count: people got them, or will get them in a mail on its way. Leaves out the reminders of the mail `exceptMail`,
 * and reminders of dates before `sinceDay` (`YYYY-MM-DD`), of which there may be many years.
 */
export async function readTold(
  db: Database,
  people: readonly string[],
  { exceptMail = '', sinceDay }: { exceptMail?: string | undefined; sinceDay: string },
) {
  return db
    .selectFrom('reminders')
    .select(['person', 'client_id', 'role', 'stage', 'planned_for'])
    .where(isOneOf(db, 'person', people))
    .where('dropped_at', 'is', null)
    .where('outdated_at', '=', 0)
    .where('mail_id', '<>', exceptMail)
    .where(sql<SqlBool>`(planned_for not like '%:%' or ${DAY_PLANNED} >= ${sinceDay})`)
    .execute();
}

const HOLDING = ['id', 'person', 'day', 'replaces', 'state', 'ended_at'] as const;

/** The mails of people that are not sent yet, the mails of these days, and the mails that were sent since a moment. */
export async function readHoldingMails(
  db: Database,
  people: readonly string[],
  { days, sentSince }: { days: readonly string[]; sentSince: number },
): Promise<Array<Pick<Selectable<LifecycleTables['mails']>, (typeof HOLDING)[number]>>> {
  return (
    db
      .selectFrom('mails')
      .select(HOLDING)
      .where(isOneOf(db, 'person', people))
      .where('state', '<>', 'dropped')
      // A mail that support has sent again, a mail about leaked tokens, and a mail in the place of either do not count as
      // the one mail of the day.
      .where('replaces', 'not like', 'again/%')
      .where('replaces', 'not like', 'beside/%')
      .where((eb) =>
        eb.or([
          eb('state', 'in', ['due', 'sending']),
          eb('day', 'in', days),
          eb.and([eb('state', '=', 'sent'), eb('ended_at', '>=', sentSince)]),
        ]),
      )
      .execute()
  );
}

/**
 * The dates of which mails on their way to contacts of these people's apps tell; leaves out the mail `exceptMail`. One
 * statement, because a mail that is passed on meanwhile gives its reminders to another mail.
 */
export async function readDatesOf(
  db: Database,
  people: readonly string[],
  exceptMail = '',
): Promise<Array<Pick<ReminderRow, 'person' | 'client_id' | 'role' | 'planned_for'>>> {
  if (people.length === 0) return [];
  return (
    db
      .selectFrom('mails')
      .innerJoin('reminders', 'reminders.mail_id', 'mails.id')
      .select(['reminders.person', 'client_id', 'role', 'planned_for'])
      .where(isOneOf(db, 'mails.person', people))
      // Repeats the condition of the index mails_once_a_day.
      .where('state', '<>', sql.lit('dropped'))
      .where('state', 'in', ['due', 'sending'])
      .where('mails.id', '<>', exceptMail)
      .where('replaces', '<>', '')
      .where('replaces', 'not like', 'again/%')
      .where('replaces', 'not like', 'beside/%')
      .where('dropped_at', 'is', null)
      .where('planned_for', '<>', '')
      .execute()
  );
}

/** The newest reminder of a stage about an app, sent or planned for a person, and the state of its mail. */
export async function findLatest(
  db: Database,
  { people, clientId, stage }: { people: readonly string[]; clientId: string; stage: string },
): Promise<{ created_at: number; state: MailState } | undefined> {
  return db
    .selectFrom('reminders')
    .innerJoin('mails', 'mails.id', 'reminders.mail_id')
    .select(['reminders.created_at', 'mails.state'])
    .where('reminders.client_id', '=', clientId)
    .where('reminders.person', 'in', people)
    .where('stage', '=', stage)
    .where('dropped_at', 'is', null)
    .orderBy('reminders.created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The reminders of one mail that are not dropped. */
export async function readRemindersOf(db: Database, mailId: string): Promise<ReminderRow[]> {
  return db
    .selectFrom('reminders')
    .selectAll()
    .where('mail_id', '=', mailId)
    .where('dropped_at', 'is', null)
    .orderBy('id')
    .execute();
}

/** Whether two columns of `planned_for` are days of the same date. */
const isSameDate = (one: string, other: string) =>
  sql.join(
    MILESTONES.map(
      (name) => sql`(${sql.ref(one)} like ${`${name}:%`} and ${sql.ref(other)} like ${`${name}:%`})`,
    ),
    sql` or `,
  );

/**
 * What a person was told of other days of the dates of this mail counts no more. `person`: whose mail it is; `names`: all under
 * which the ledger knows the person. Leaves out mails on their way, which told nothing yet.
 */
export async function outdateOtherDays(
  db: Database,
  { mailId, person, names, now }: { mailId: string; person: string; names: readonly string[]; now: number },
): Promise<void> {
  // With the person, each row is compared with the few reminders of its own app.
  const isOtherDay = sql<SqlBool>`exists (select 1 from reminders as told where told.mail_id = ${mailId}
    and told.person = ${person} and told.dropped_at is null and told.client_id = reminders.client_id and told.role = reminders.role
    and told.planned_for <> reminders.planned_for and (${isSameDate('told.planned_for', 'reminders.planned_for')}))`;
  const isOnItsWay = sql<SqlBool>`exists (select 1 from mails where mails.id = reminders.mail_id
    and mails.state in ('due', 'sending'))`;
  await db
    .updateTable('reminders')
    .set({ outdated_at: now })
    .where('person', 'in', names)
    .where('dropped_at', 'is', null)
    .where('outdated_at', '=', 0)
    .where(isOtherDay)
    .where(sql<SqlBool>`not ${isOnItsWay}`)
    .execute();
}

/** Keeps new reminders of mails that exist, and leaves out those that the ledger already has. */
export async function insertReminders(db: Database, rows: readonly NewReminder[]): Promise<void> {
  if (rows.length > 0) await sql`${insertionOf(db, 'reminders', rows)} on conflict do nothing`.execute(db);
}

/**
 * Keeps new mails with their reminders. Leaves out reminders that the ledger already has, mails without a new reminder,
 * and mails of a person who has one for the day. Returns the ids of the new mails. Needs a transaction.
 */
export async function insertPlanned(
  tx: Database,
  mails: readonly NewMail[],
  reminders: readonly NewReminder[],
): Promise<string[]> {
  if (mails.length === 0) return [];
  await sql`${insertionOf(tx, 'mails', mails)} on conflict do nothing`.execute(tx);
  const ids = mails.map(({ id }) => id);
  const made = new Set(await idsOf(tx, ids));
  await insertReminders(
    tx,
    reminders.filter(({ mail_id }) => made.has(mail_id)),
  );
  const empty = await tx
    .deleteFrom('mails')
    .where(isOneOf(tx, 'id', [...made]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom('reminders').select('reminders.id').whereRef('reminders.mail_id', '=', 'mails.id'),
        ),
      ),
    )
    .returning('id')
    .execute();
  for (const { id } of empty) made.delete(id);
  return [...made];
}

async function idsOf(tx: Database, ids: readonly string[]): Promise<string[]> {
  const rows = await tx
    .selectFrom('mails')
    .select('id')
    .where(isOneOf(tx, 'id', ids))
    .execute();
  return rows.map(({ id }) => id);
}
