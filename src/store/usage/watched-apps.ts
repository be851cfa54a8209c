import type { Store } from '../driver/store.ts';

/** The apps whose calls a person is watching now. */

/** Lets an app be watched until a time. */
export async function keepWatched(
  { volatile }: Store,
  row: { client_id: string; until: number },
): Promise<void> {
  await volatile
    .insertInto('watched_apps')
    .values(row)
    .onConflict((conflict) => conflict.column('client_id').doUpdateSet({ until: row.until }))
    .execute();
}

/** The apps that are watched now, each with the end of the watch. */
export async function listWatched(
  { volatile }: Store,
  now: number,
): Promise<Array<{ client_id: string; until: number }>> {
  return volatile
    .selectFrom('watched_apps')
    .select(['client_id', 'until'])
    .where('until', '>', now)
    .execute();
}

/** Removes apps that are no longer watched. */
export async function deleteUnwatched({ volatile }: Store, now: number): Promise<void> {
  await volatile.deleteFrom('watched_apps').where('until', '<=', now).execute();
}
