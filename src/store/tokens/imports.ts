import { sql, type SqlBool } from 'kysely';
import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import { givenTokens, type TokenOfApp } from './mapping-ids.ts';

/** When imports brought apps and tokens, by the history. Nothing is known of their calls before. */

/** Repeats the condition of the index events_of_imports. */
export const IS_IMPORT = sql<SqlBool>`action in ('app_imported', 'token_imported')`;

/** Repeats the condition of the index events_of_moves. */
export const HAS_MOVED = sql<SqlBool>`(action = 'token_assigned' or (action = 'token_changed' and reason >= 'import: app' and reason < 'import: apq'))`;

/** When an import last brought an app or a token of the app, 0 for never. */
export async function lastImportOf(db: Database, clientId: string): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select((eb) => eb.fn.max('at').as('at'))
    .where('client_id', '=', clientId)
    .where(IS_IMPORT)
    .executeTakeFirst();
  return row?.at ?? 0;
}

/** When an import brought an app with its secret, 0 for never. */
export async function appImportedAt(db: Database, clientId: string): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select((eb) => eb.fn.max('at').as('at'))
    .where('client_id', '=', clientId)
    // Repeats the condition of the index events_of_apps.
    .where('mapping_id', 'is', null)
    .where('grant_id', 'is', null)
    .where('action', '=', 'app_imported')
    .executeTakeFirst();
  return row?.at ?? 0;
}

/** When an import last brought anything to any app, 0 for never. Each app is one look into the index. */
export async function lastImport(db: Database): Promise<number> {
  const imports = db.selectFrom('apps').select((app) =>
    app
      .selectFrom('events')
      .select((eb) => eb.fn.max('at').as('at'))
      .whereRef('events.client_id', '=', 'apps.client_id')
      .where(IS_IMPORT)
      .as('at'),
  );
  const row = await db
    .selectFrom(imports.as('imports'))
    .select((eb) => eb.fn.max('imports.at').as('at'))
    .executeTakeFirst();
  return row?.at ?? 0;
}

/** When the last of these tokens was imported, 0 where none was. */
export async function lastImportAmong(db: Database, ids: readonly string[]): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select((eb) => eb.fn.max('at').as('at'))
    .where(isOneOf(db, 'mapping_id', ids))
    .where('action', '=', 'token_imported')
    .executeTakeFirst();
  return row?.at ?? 0;
}

/** When the last of these tokens was imported, by app; an app without an imported token is left out. */
export async function lastImportsByApp(
  db: Database,
  tokens: readonly TokenOfApp[],
): Promise<Array<{ client_id: string; at: number }>> {
  const { rows } = await sql<{ client_id: string; at: number }>`
    select o.client_id, max(e.at) as at from ${givenTokens(db, tokens)} cross join events as e
    where e.mapping_id = o.id and e.action = 'token_imported' group by o.client_id`.execute(db);
  return rows;
}
