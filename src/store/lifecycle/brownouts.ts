import { type Insertable, sql } from 'kysely';
import type { BrownoutRow } from './lifecycle.ts';
import type { LifecycleTables, Milestone } from '../tables/lifecycle.ts';
import type { Database } from '../driver/store.ts';

/** Windows that rehearse a date. Without a client id for all apps; with a client id the rehearsal of an owner. */

type NewBrownout = Insertable<LifecycleTables['brownouts']>;

/** Adds a brownout. */
export async function insertBrownout(tx: Database, brownout: NewBrownout): Promise<void> {
  await tx.insertInto('brownouts').values(brownout).execute();
}

/** Adds the rehearsal of an app; false while the app has one. */
export async function claimRehearsal(
  tx: Database,
  rehearsal: NewBrownout & { client_id: string },
): Promise<boolean> {
  const { id, client_id, rehearses, starts_at, ends_at, text, planned_by, planned_at } = rehearsal;
  const claimed = await sql`
    insert into brownouts (id, client_id, rehearses, starts_at, ends_at, text, planned_by, planned_at)
    select ${id}, ${client_id}, ${rehearses}, ${starts_at}, ${ends_at}, ${text}, ${planned_by}, ${planned_at}
    where not exists (
      select 1 from brownouts
      where client_id = ${client_id} and removed_at is null and ends_at > ${planned_at}
    )`.execute(tx);
  return claimed.numAffectedRows === 1n;
}

/** A brownout of all apps that overlaps the window and has the same milestone. */
export async function findOverlap(
  tx: Database,
  { rehearses, startsAt, endsAt }: { rehearses: Milestone; startsAt: number; endsAt: number },
): Promise<BrownoutRow | undefined> {
  return tx
    .selectFrom('brownouts')
    .selectAll()
    .where('client_id', 'is', null)
    .where('rehearses', '=', rehearses)
    .where('removed_at', 'is', null)
    .where('starts_at', '<', endsAt)
    .where('ends_at', '>', startsAt)
    .orderBy('starts_at')
    .executeTakeFirst();
}

/** How many brownouts of all apps rehearse a milestone and end after a time. */
export async function countAfter(tx: Database, rehearses: Milestone, time: number): Promise<number> {
  const { n } = await tx
    .selectFrom('brownouts')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('client_id', 'is', null)
    .where('rehearses', '=', rehearses)
    .where('removed_at', 'is', null)
    .where('ends_at', '>', time)
    .executeTakeFirstOrThrow();
  return n;
}

/** One brownout of all apps. */
export async function findPublic(db: Database, id: string): Promise<BrownoutRow | undefined> {
  return db
    .selectFrom('brownouts')
    .selectAll()
    .where('id', '=', id)
    .where('client_id', 'is', null)
    .executeTakeFirst();
}

/**
 * Removes a brownout that is not over; false when it is over or removed. The past part of a running brownout stays
 * known.
 */
export async function endBrownout(tx: Database, id: string, now: number): Promise<boolean> {
  const ended = await tx
    .updateTable('brownouts')
    .set({ removed_at: now })
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .where('ends_at', '>', now)
    .executeTakeFirst();
  return ended.numUpdatedRows === 1n;
}

/** The brownouts of all apps with an end after a time, by their start; removed brownouts included. */
export async function publicSince(db: Database, time: number): Promise<BrownoutRow[]> {
  return db
    .selectFrom('brownouts')
    .selectAll()
    .where('client_id', 'is', null)
    .where('ends_at', '>', time)
    .orderBy('starts_at')
    .orderBy('id')
    .execute();
}

/** The last rehearsals of an app, newest first. */
export async function lastRehearsals(db: Database, clientId: string, limit: number): Promise<BrownoutRow[]> {
  return db
    .selectFrom('brownouts')
    .selectAll()
    .where('client_id', '=', clientId)
    .orderBy('starts_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
