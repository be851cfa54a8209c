import { type SqlBool, sql } from 'kysely';
import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';

/** How an actor of the history begins that is a key of the staff API. */
export const KEY_ACTOR = 'key:';

/** Whether a key of the staff API brought one of these tokens by an import, or gave one its app or its holder so. */
export async function isAnyImportedByKey(tx: Database, mappingIds: readonly string[]): Promise<boolean> {
  const row = await tx
    .selectFrom('events')
    .select('id')
    .where(isOneOf(tx, 'mapping_id', mappingIds))
    .where('action', 'in', ['token_imported', 'token_changed'])
    .where(sql<SqlBool>`substr(actor, 1, ${sql.lit(KEY_ACTOR.length)}) = ${KEY_ACTOR}`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
