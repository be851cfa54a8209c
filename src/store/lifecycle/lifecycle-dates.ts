import type { Insertable } from 'kysely';
import type { LifecycleTables } from '../tables/lifecycle.ts';
import type { Database } from '../driver/store.ts';

type NewDate = Insertable<LifecycleTables['lifecycle_dates']>;

/** Sets or unsets a date, replacing any earlier date. */
export async function setDate(tx: Database, date: NewDate): Promise<void> {
  const { name: _name, ...changes } = date;
  await tx
    .insertInto('lifecycle_dates')
    .values(date)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(changes))
    .execute();
}
