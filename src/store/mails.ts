import { expressionBuilder, type Selectable, sql } from 'kysely';
import { isOriginal, type SeenInstance } from './instance.ts';
import type { LifecycleTables, MailState } from './lifecycle-tables.ts';
import { isSqlite } from './many-rows.ts';
import { readStoppedAddresses } from './reminders.ts';
import type { Database } from './store.ts';
import type { Tables } from './tables.ts';

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
  const result = await db
    .updateTable('mails')
    .set({ state, failure, ended_at: now, ...(address !== undefined && { address }) })
    .where('id', '=', mail.id)
    .where('claim_id', '=', mail.claim_id)
    .where('state', '=', 'sending')
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Gives a claimed mail back until its next attempt. */
export async function putOffMail(
  db: Database,
  mail: Claimed,
  { nextAt, failure }: { nextAt: number; failure: string },
): Promise<void> {
  await db
    .updateTable('mails')
    .set({ state: 'due', next_at: nextAt, failure, claim_id: null, claimed_at: null })
    .where('id', '=', mail.id)
    .where('claim_id', '=', mail.claim_id)
    .where('state', '=', 'sending')
    .execute();
}

/** Adds a mail in the place of one that was refused. */
export async function insertReplacement(
  tx: Database,
  mail: Omit<MailRow, 'claim_id' | 'claimed_at' | 'attempts'>,
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
    .where('state', '=', 'refused')
    .execute();
  return rows.flatMap(({ address }) => address ?? []);
}

/** Which of these normalised addresses want no reminders. */
export async function stoppedAmong(db: Database, addresses: readonly string[]): Promise<Set<string>> {
  return new Set(addresses.length === 0 ? [] : await readStoppedAddresses(db, addresses));
}

/** The newest mails that nobody can be reached with, and what each was about. */
export async function listUndeliverableMails(db: Database, limit: number) {
  const mails = await db
    .selectFrom('mails')
    .select(['id', 'person', 'day', 'failure', sql<number>`coalesce(ended_at, created_at)`.as('ended_at')])
    .where('state', '=', 'undeliverable')
    .orderBy('ended_at', 'desc')
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
