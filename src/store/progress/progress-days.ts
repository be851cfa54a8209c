import { type Selectable, sql } from 'kysely';
import { isOneOf } from '../driver/many-rows.ts';
import type { PageTables } from '../tables/page-tables.ts';
import type { Progress } from './progress.ts';
import type { Database } from '../driver/store.ts';
import type { MappingState } from '../tables/tables.ts';

/** The token counts day by day. A day without a row has the counts of the day before. */

type ProgressOfAll = Selectable<PageTables['progress_of_all']>;

function byAppAndDay(one: Progress, other: Progress): number {
  if (one.client_id !== other.client_id) return one.client_id < other.client_id ? -1 : 1;
  return one.day < other.day ? -1 : 1;
}

/**
 * The token counts of some apps since a day, beginning with the last row on or before this day. The rows of each app
 * are in the order of their days.
 */
export async function progressSince(
  db: Database,
  clientIds: readonly string[],
  sinceDay: string,
): Promise<Progress[]> {
  const ofThese = db.selectFrom('progress').where(isOneOf(db, 'client_id', clientIds));
  const before = ofThese
    .select((eb) => ['client_id', eb.fn.max('day').as('day')])
    .where('day', '<=', sinceDay)
    .groupBy('client_id')
    .as('first');
  const first = await db
    .selectFrom('progress as p')
    .innerJoin(before, (join) =>
      join.onRef('first.client_id', '=', 'p.client_id').onRef('first.day', '=', 'p.day'),
    )
    .selectAll('p')
    .execute();
  const later = await ofThese.selectAll().where('day', '>', sinceDay).execute();
  return [...first, ...later].toSorted(byAppAndDay);
}

/** The token counts of all apps together since a day, beginning with the last row on or before this day. */
export async function progressOfAllSince(db: Database, sinceDay: string): Promise<ProgressOfAll[]> {
  const rows = db.selectFrom('progress_of_all').selectAll();
  const first = await rows.where('day', '<=', sinceDay).orderBy('day', 'desc').limit(1).execute();
  return [...first, ...(await rows.where('day', '>', sinceDay).orderBy('day').execute())];
}

/** The days since `sinceDay` on which the tokens were counted, in their order. */
export async function countedDaysSince(db: Database, sinceDay: string): Promise<string[]> {
  const rows = await db
    .selectFrom('progress_of_all')
    .select('day')
    .where('day', '>=', sinceDay)
    .orderBy('day')
    .execute();
  return rows.map(({ day }) => day);
}

/** Keeps the token counts of all apps together on a day, and removes the days before `keptSince`. */
export async function keepProgressOfAll(
  db: Database,
  row: ProgressOfAll,
  { keptSince }: { keptSince: string },
): Promise<void> {
  const { day: _day, ...numbers } = row;
  await db
    .insertInto('progress_of_all')
    .values(row)
    .onConflict((conflict) => conflict.column('day').doUpdateSet(numbers))
    .execute();
  await db.deleteFrom('progress_of_all').where('day', '<', keptSince).execute();
}

const changeOf = (column: MappingState) =>
  sql<number | string>`sum(${sql.ref(column)} - coalesce(${sql.ref(`was_${column}`)}, 0))`.as(column);

const before = (column: MappingState) =>
  sql<number | null>`lag(p.${sql.ref(column)}) over (partition by p.client_id order by p.day)`.as(
    `was_${column}`,
  );

/** The changes of the token counts of an owner's apps together, for each day on which at least one app changed. */
export async function sumChanges(
  db: Database,
  ownerAccountId: string,
): Promise<Array<{ day: string } & Record<MappingState, number>>> {
  const rows = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('progress as p')
        .select(['p.day', 'p.unmapped', 'p.active', 'p.reauthorization_required', 'p.revoked', 'p.migrated'])
        .select([before('unmapped'), before('active'), before('reauthorization_required')])
        .select([before('revoked'), before('migrated')])
        .where('p.client_id', 'in', (e) =>
          e
            .selectFrom('apps')
            .select('client_id')
            .where('owner_account_id', '=', ownerAccountId)
            .where('retired_at', 'is', null),
        )
        .as('changes'),
    )
    .select('day')
    .select([changeOf('unmapped'), changeOf('active'), changeOf('reauthorization_required')])
    .select([changeOf('revoked'), changeOf('migrated')])
    .groupBy('day')
    .orderBy('day')
    .execute();
  return rows.map((row) => ({
    day: row.day,
    unmapped: Number(row.unmapped),
    active: Number(row.active),
    reauthorization_required: Number(row.reauthorization_required),
    revoked: Number(row.revoked),
    migrated: Number(row.migrated),
  }));
}
