import { sql } from 'kysely';
import type { Database } from '../driver/store.ts';

/** Finds places in the chain for a reader that begins in its middle. */

/** Entries per statement, so that no statement takes long: no index knows the times of all entries. */
const STRIDE = 20_000;

/** The position of the first chained entry of a moment or later. */
export async function findPositionSince(db: Database, at: number): Promise<number | undefined> {
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const next = db
      .selectFrom('events')
      .select(['position', 'at'])
      .where('position', '>', after)
      .orderBy('position')
      .limit(STRIDE)
      .as('next');
    const { first, last } = await db
      .selectFrom(next)
      .select([
        sql<number | null>`min(case when at >= ${at} then position end)`.as('first'),
        sql<number | null>`max(position)`.as('last'),
      ])
      .executeTakeFirstOrThrow();
    if (first !== null) return first;
    // A number beyond 2^53 may come back rounded to the same value, without end.
    if (last === null || last <= after) return undefined;
    after = last;
  }
}

/** Whether an app is known, or an entry names it. */
export async function isAppNamed(db: Database, clientId: string): Promise<boolean> {
  const app = db.selectFrom('apps').select('client_id').where('client_id', '=', clientId);
  const entry = db.selectFrom('events').select('id').where('client_id', '=', clientId).limit(1);
  return (await app.executeTakeFirst()) !== undefined || (await entry.executeTakeFirst()) !== undefined;
}

/** Whether a token is known, or an entry names it. */
export async function isTokenNamed(db: Database, mappingId: string): Promise<boolean> {
  const mapping = db.selectFrom('mappings').select('id').where('id', '=', mappingId);
  const entry = db.selectFrom('events').select('id').where('mapping_id', '=', mappingId).limit(1);
  return (await mapping.executeTakeFirst()) !== undefined || (await entry.executeTakeFirst()) !== undefined;
}
