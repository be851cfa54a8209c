import { expressionBuilder, type Selectable, sql } from 'kysely';
import { isOriginal, type SeenInstance } from '../instance/instance.ts';
import type { LifecycleTables, MailState } from '../tables/lifecycle.ts';
import { isSqlite } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { Tables } from '../tables/tables.ts';

/** Mails on their way: each is claimed by one process, and every step after that is conditional on the claim. */

export type MailRow = Selectable<LifecycleTables['mails']>;

/** A mail in the hands of one process. */
export interface ClaimedMail extends MailRow {
  claim_id: string;
}

/** The condition names no column of the statement that it stands in. */
const isTheOriginal = (seen: SeenInstance) => isOriginal(seen)(expressionBuilder<Tables, 'grants'>());

/** In the words of the index, for SQLite takes it for nothing else. */
const IS_OPEN = sql<boolean>`state in ('due', 'sending')`;

interface Claim {
  /** Names this claim; no other ever has the same. */
  claimId: string;
  now: number;
  /** When the claim is over. */
  until: number;
  /** The database as it was seen: on a copy of it, or on an older one, nothing is claimed; undefined to rehearse there. */
  instance: SeenInstance | undefined;
}

/**
 * Claims the mail that has been due for the longest, for whoever comes first; also one whose claim is over, for its
 * process has died.
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
    // SQLite writes one statement after the other; PostgreSQL passes over what another has just taken.
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

type Claimed = Pick<ClaimedMail, 'id' | 'claim_id'>;

/** A mail while it is in the hands of this claim. */
const held = (db: Database, mail: Claimed) =>
  db
    .updateTable('mails')
    .where('id', '=', mail.id)
    .where('claim_id', '=', mail.claim_id)
    .where('state', '=', 'sending');

interface Ending {
  state: Exclude<MailState, 'due' | 'sending'>;
  now: number;
  /** Where it went, or could not go. */
  address?: string | null | undefined;
  failure?: string | null;
}

/** Ends a claimed mail; false when the claim has gone to another process. */
export async function endMail(db: Database, mail: Claimed, ending: Ending): Promise<boolean> {
  const { state, now, address, failure = null } = ending;
  const result = await held(db, mail)
    .set({ state, failure, ended_at: now, ...(address !== undefined && { address }) })
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

interface PutOff {
  nextAt: number;
  failure: string | null;
  /** Where they are counted anew. */
  attempts?: number;
}

/** Keeps where a claimed mail is about to go; false when the claim has gone to another process. */
export async function noteAddress(db: Database, mail: Claimed, address: string): Promise<boolean> {
  const result = await held(db, mail).set({ address }).executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Counts that nobody can say whether a claimed mail was handed over; undefined when the claim has gone to another. */
export async function countDoubt(db: Database, mail: Claimed): Promise<number | undefined> {
  const row = await held(db, mail)
    .set((eb) => ({ in_doubt: eb('in_doubt', '+', 1) }))
    .returning('in_doubt')
    .executeTakeFirst();
  return row?.in_doubt;
}

/** Whether a mail is still in the hands of this claim; in a transaction. */
export async function isHeldBy(tx: Database, mail: Claimed): Promise<boolean> {
  const row = await tx
    .selectFrom('mails')
    .select('id')
    .where('id', '=', mail.id)
    .where('claim_id', '=', mail.claim_id)
    .where('state', '=', 'sending')
    .executeTakeFirst();
  return row !== undefined;
}

/** Gives a claimed mail back until its next attempt. */
export async function putOffMail(
  db: Database,
  mail: Claimed & Pick<ClaimedMail, 'attempts'>,
  { nextAt, failure, attempts = mail.attempts }: PutOff,
): Promise<void> {
  await held(db, mail)
    .set({ state: 'due', next_at: nextAt, failure, attempts, claim_id: null, claimed_at: null })
    .execute();
}

/** Adds a mail in the place of one that was refused. */
export async function insertReplacement(
  tx: Database,
  mail: Omit<MailRow, 'claim_id' | 'claimed_at' | 'attempts' | 'in_doubt' | 'settled_at' | 'settled_by'>,
): Promise<void> {
  await tx
    .insertInto('mails')
    .values({ ...mail, attempts: 0 })
    .execute();
}

/** Takes reminders back that are not needed any more: all of a mail, or some of them. */
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
    .$if(ids !== undefined, (query) => query.where('id', 'in', ids ?? []))
    .execute();
}

/** Puts reminders into another mail. */
export async function moveReminders(tx: Database, ids: readonly string[], mailId: string): Promise<void> {
  await tx.updateTable('reminders').set({ mail_id: mailId }).where('id', 'in', ids).execute();
}

/** The addresses at which somebody answers for these apps, in their order. */
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

/** The addresses that refused what a person was sent on one day. */
export async function refusedAddresses(
  db: Database,
  { person, day }: Pick<MailRow, 'person' | 'day'>,
): Promise<string[]> {
  const rows = await db
    .selectFrom('mails')
    .select('address')
    .where('person', '=', person)
    .where('day', '=', day)
    // In the words of the index mails_once_a_day, without which this reads the whole table.
    .where('state', '<>', sql.lit('dropped'))
    .where('state', '=', 'refused')
    .execute();
  return rows.flatMap(({ address }) => address ?? []);
}

/** The newest mails that nobody can be reached with and nobody has dealt with, and what each was about. */
export async function listUndeliverableMails(db: Database, limit: number) {
  const mails = await db
    .selectFrom('mails')
    .select(['id', 'person', 'day', 'failure', sql<number>`coalesce(ended_at, created_at)`.as('ended_at')])
    .where('state', '=', sql.lit('undeliverable'))
    .where('settled_at', 'is', null)
    // In the words of the index mails_undeliverable; the alias of the same name is another value.
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

/** Where a mail goes and which other one it replaces (`''` for none); undefined when there is no such mail. */
export async function findMail(
  db: Database,
  id: string,
): Promise<{ address: string | null; replaces: string } | undefined> {
  return db.selectFrom('mails').select(['address', 'replaces']).where('id', '=', id).executeTakeFirst();
}

/** A mail that reached nobody, dealt with or not, and the apps that it was about. */
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

/** Says that support dealt with a mail that reached nobody; undefined where there is none, or somebody did before. */
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
