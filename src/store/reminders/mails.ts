import { expressionBuilder, type Selectable, sql } from 'kysely';
import { isOriginal, type SeenInstance } from '../instance/instance.ts';
import type { LifecycleTables, MailState } from '../tables/lifecycle.ts';
import { isOneOf, isSqlite } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { Tables } from '../tables/tables.ts';

/** Mails on their way. One process claims each mail, and every later step is conditional on the claim. */

export type MailRow = Selectable<LifecycleTables['mails']>;

/** A mail that one process has claimed. */
export interface ClaimedMail extends MailRow {
  claim_id: string;
}

/** The condition names no column of the statement around it. */
const isTheOriginal = (seen: SeenInstance) => isOriginal(seen)(expressionBuilder<Tables, 'grants'>());

/** Repeats the condition of the index, because SQLite uses a partial index only for the same condition. */
const IS_OPEN = sql<boolean>`state in ('due', 'sending')`;

interface Claim {
  /** The unique name of this claim. */
  claimId: string;
  now: number;
  /** When the claim ends. */
  until: number;
  /**
   * The database as last seen: on a copy or an older database no mail is claimed. Undefined for a rehearsal on a copy.
   */
  instance: SeenInstance | undefined;
}

/**
 * Claims the mail that has been due for the longest. Includes a mail whose claim has ended, because its process has
 * died.
 */
export async function claimMail(
  db: Database,
  { claimId, now, until, instance }: Claim,
): Promise<ClaimedMail | undefined> {
  const oldest = db
    .selectFrom('mails')
    .select('id')
    .where(IS_OPEN)
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .limit(1)
    // SQLite runs writing statements one after the other. PostgreSQL skips a mail that another process has just taken.
    .$if(!isSqlite(db), (query) => query.forUpdate().skipLocked());
  const row = await db
    .updateTable('mails')
    .set((eb) => ({
      state: 'sending',
      claim_id: claimId,
      claimed_at: now,
      next_at: until,
      attempts: eb('attempts', '+', 1),
    }))
    .where('id', '=', oldest)
    .where(IS_OPEN)
    .where('next_at', '<=', now)
    .$if(instance !== undefined, (query) => query.where(isTheOriginal(instance as SeenInstance)))
    .returningAll()
    .executeTakeFirst();
  return row && { ...row, claim_id: claimId };
}

type MailClaim = Pick<ClaimedMail, 'id' | 'claim_id'>;

/** Restricts an update to a mail that this claim still holds. */
const held = (db: Database, mail: MailClaim) =>
  db
    .updateTable('mails')
    .where('id', '=', mail.id)
    .where('claim_id', '=', mail.claim_id)
    .where('state', '=', 'sending');

/** How a mail ends. */
export interface MailEnd {
  state: Exclude<MailState, 'due' | 'sending'>;
  now: number;
  /** The address that was used or refused. */
  address?: string | null | undefined;
  failure?: string | null;
}

/** Ends a claimed mail; false when another process has the claim. */
export async function endMail(db: Database, mail: MailClaim, ending: MailEnd): Promise<boolean> {
  const { state, now, address, failure = null } = ending;
  const result = await held(db, mail)
    .set({ state, failure, ended_at: now, ...(address !== undefined && { address }) })
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

interface MailPostponement {
  nextAt: number;
  failure: string | null;
  /** Set when the attempts are counted anew. */
  attempts?: number;
}

/** Keeps the address before a claimed mail goes there; false when another process has the claim. */
export async function noteAddress(db: Database, mail: MailClaim, address: string): Promise<boolean> {
  const result = await held(db, mail).set({ address }).executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Counts a hand-over in doubt of a claimed mail; undefined when another process has the claim. */
export async function countDoubt(db: Database, mail: MailClaim): Promise<number | undefined> {
  const row = await held(db, mail)
    .set((eb) => ({ in_doubt: eb('in_doubt', '+', 1) }))
    .returning('in_doubt')
    .executeTakeFirst();
  return row?.in_doubt;
}

/** Whether this claim still holds the mail, up to the end of the transaction that this needs. */
export async function isHeldBy(tx: Database, mail: MailClaim): Promise<boolean> {
  const row = await tx
    .selectFrom('mails')
    .select('id')
    .where('id', '=', mail.id)
    .where('claim_id', '=', mail.claim_id)
    .where('state', '=', 'sending')
    // SQLite runs writing transactions one after the other.
    .$if(!isSqlite(tx), (query) => query.forUpdate())
    .executeTakeFirst();
  return row !== undefined;
}

/** Releases a claimed mail until its next attempt. */
export async function putOffMail(
  db: Database,
  mail: MailClaim & Pick<ClaimedMail, 'attempts'>,
  { nextAt, failure, attempts = mail.attempts }: MailPostponement,
): Promise<void> {
  await held(db, mail)
    .set({ state: 'due', next_at: nextAt, failure, attempts, claim_id: null, claimed_at: null })
    .execute();
}

/** Adds a mail that replaces a refused mail. */
export async function insertReplacement(
  tx: Database,
  mail: Omit<MailRow, 'claim_id' | 'claimed_at' | 'attempts' | 'in_doubt' | 'settled_at' | 'settled_by'>,
): Promise<void> {
  await tx
    .insertInto('mails')
    .values({ ...mail, attempts: 0 })
    .execute();
}

/** Drops reminders that are no longer needed: all of a mail, or some. */
export async function dropReminders(
  db: Database,
  { mailId, ids, now }: { mailId: string; ids?: readonly string[]; now: number },
): Promise<void> {
  if (ids?.length === 0) return;
  await db
    .updateTable('reminders')
    .set({ dropped_at: now })
    .where('mail_id', '=', mailId)
    .where('dropped_at', 'is', null)
    .$if(ids !== undefined, (query) => query.where(isOneOf(db, 'id', ids ?? [])))
    .execute();
}

/** Moves reminders to another mail. */
export async function moveReminders(tx: Database, ids: readonly string[], mailId: string): Promise<void> {
  await tx
    .updateTable('reminders')
    .set({ mail_id: mailId })
    .where(isOneOf(tx, 'id', ids))
    .execute();
}

/** The contact addresses of these apps, in order. */
export async function contactsOf(
  db: Database,
  clientIds: readonly string[],
): Promise<Array<{ client_id: string; address: string }>> {
  if (clientIds.length === 0) return [];
  return db
    .selectFrom('app_contacts')
    .select(['client_id', 'address'])
    .where('client_id', 'in', clientIds)
    .orderBy('address')
    .execute();
}

/** The addresses that refused a person's mails of one day. */
export async function refusedAddresses(
  db: Database,
  { person, day }: Pick<MailRow, 'person' | 'day'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('mails')
    .select('address')
    .where('person', '=', person)
    .where('day', '=', day)
    // Repeats the condition of the index mails_once_a_day. Without this condition the query reads the whole table.
    .where('state', '<>', sql.lit('dropped'))
    .where('state', '=', 'refused')
    .execute();
  return rows.flatMap(({ address }) => address ?? []);
}

/** The newest undeliverable mails that support has not dealt with, and the subject of each mail. */
export async function listUndeliverableMails(db: Database, limit: number) {
  const mails = await db
    .selectFrom('mails')
    .select(['id', 'person', 'day', 'failure', sql<number>`coalesce(ended_at, created_at)`.as('ended_at')])
    .where('state', '=', sql.lit('undeliverable'))
    .where('settled_at', 'is', null)
    // Orders by the column of the index mails_undeliverable. The alias of the same name is another value.
    .orderBy('mails.ended_at', 'desc')
    .limit(limit)
    .execute();
  const ids = mails.map(({ id }) => id);
  if (ids.length === 0) return [];
  const reminders = await db
    .selectFrom('reminders')
    .innerJoin('apps', 'apps.client_id', 'reminders.client_id')
    .select(['mail_id', 'apps.client_id', 'apps.name', 'role', 'stage', 'planned_for'])
    .where('mail_id', 'in', ids)
    .where('dropped_at', 'is', null)
    .orderBy('apps.name')
    .orderBy('reminders.id')
    .execute();
  return mails.map((mail) => ({
    ...mail,
    reminders: reminders.filter(({ mail_id }) => mail_id === mail.id),
  }));
}

/** The address of a mail, and the mail that it replaces (`''` for none); undefined when the mail does not exist. */
export async function findMail(
  db: Database,
  id: string,
): Promise<{ address: string | null; replaces: string } | undefined> {
  return db.selectFrom('mails').select(['address', 'replaces']).where('id', '=', id).executeTakeFirst();
}

/** An undeliverable mail, dealt with or not, and the apps of its reminders. */
export async function findUndeliverable(
  db: Database,
  id: string,
): Promise<{ mail: MailRow; apps: Array<{ client_id: string; name: string }> } | undefined> {
  const mail = await db
    .selectFrom('mails')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'undeliverable')
    .executeTakeFirst();
  if (!mail) return undefined;
  const apps = await db
    .selectFrom('reminders')
    .innerJoin('apps', 'apps.client_id', 'reminders.client_id')
    .select(['apps.client_id', 'apps.name'])
    .distinct()
    .where('mail_id', '=', id)
    .where('dropped_at', 'is', null)
    .orderBy('apps.name')
    .execute();
  return { mail, apps };
}

/**
 * Records that support dealt with an undeliverable mail; undefined when there is no such mail, or support has dealt
 * with it before.
 */
export async function settleMail(
  tx: Database,
  id: string,
  { at, by }: { at: number; by: string },
): Promise<Pick<MailRow, 'person'> | undefined> {
  return tx
    .updateTable('mails')
    .set({ settled_at: at, settled_by: by })
    .where('id', '=', id)
    .where('state', '=', 'undeliverable')
    .where('settled_at', 'is', null)
    .returning('person')
    .executeTakeFirst();
}
