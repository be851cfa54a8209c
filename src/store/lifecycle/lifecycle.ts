import type { Selectable } from 'kysely';
import type { LifecycleTables, Milestone } from '../tables/lifecycle.ts';
import type { Database } from '../driver/store.ts';

/** The dates, extensions, brownouts and exemptions in force: few rows, read every second by every process. */

export type BrownoutRow = Selectable<LifecycleTables['brownouts']>;

/** Every date by its name, set or not. Empty in a database without any dates. */
export async function readDates(db: Database) {
  return db.selectFrom('lifecycle_dates').selectAll().execute();
}

/** The extensions that nobody ended early. An extension whose time is over is still included. */
export async function readExtensions(db: Database) {
  return db.selectFrom('extensions').selectAll().where('ended_at', 'is', null).execute();
}

/**
 * The newest end of an extension of each app and date, of the ends since a moment. An extension whose time was over by then
 * ended nothing.
 */
export async function readExtensionEnds(
  db: Database,
  since: number,
): Promise<Array<{ client_id: string; name: Milestone; ended_at: number }>> {
  return db
    .selectFrom('extensions')
    .select((eb) => ['client_id', 'name', eb.fn.max<number>('ended_at').as('ended_at')])
    .where('ended_at', '>=', since)
    .whereRef('until', '>', 'ended_at')
    .groupBy(['client_id', 'name'])
    .execute();
}

/** The exemptions that nobody ended early. */
export async function readExemptions(db: Database) {
  return db.selectFrom('brownout_exemptions').selectAll().where('ended_at', 'is', null).execute();
}

/** The brownouts that are not over, by their start. */
export async function readBrownouts(db: Database, now: number): Promise<BrownoutRow[]> {
  return db
    .selectFrom('brownouts')
    .selectAll()
    .where('removed_at', 'is', null)
    .where('ends_at', '>', now)
    .orderBy('starts_at')
    .orderBy('id')
    .execute();
}
