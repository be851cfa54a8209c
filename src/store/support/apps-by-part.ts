import type { Database } from '../driver/store.ts';

/** The names of all apps, in which a search of support looks for a part: there are some thousands at most. */
export async function namesOfApps(db: Database): Promise<Array<{ client_id: string; name: string }>> {
  return db.selectFrom('apps').select(['client_id', 'name']).execute();
}
