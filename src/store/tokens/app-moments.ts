import { sql } from 'kysely';
import { isSqlite } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import { HAS_MOVED, IS_IMPORT } from './imports.ts';

/** Since when all calls of apps are known, for a list of apps at once. Each app is some looks into indexes. */

export interface AppMoments {
  client_id: string;
  /** When an import last brought the app or a token of it, 0 for never. */
  imported: number;
  /** When a token last moved to the app, 0 for never. */
  moved: number;
  /** Whether the app has any token. */
  has_tokens: boolean;
}

/** The moments of these apps, in no order. */
export async function momentsOfApps(db: Database, clientIds: readonly string[]): Promise<AppMoments[]> {
  const given = isSqlite(db)
    ? sql`(select value as id from json_each(${JSON.stringify(clientIds)})) as o`
    : sql`unnest(${clientIds}::text[]) as o (id)`;
  const { rows } = await sql<{
    client_id: string;
    imported: number;
    moved: number;
    back: number;
    has: number;
  }>`
    select o.id as client_id,
      coalesce((select max(at) from events where client_id = o.id and ${IS_IMPORT}), 0) as imported,
      coalesce((select max(at) from events where client_id = o.id and ${HAS_MOVED}), 0) as moved,
      coalesce((select max(at) from events where client_id = o.id and action = 'token_taken_back'), 0) as back,
      case when exists (select 1 from mappings where client_id = o.id) then 1 else 0 end as has
    from ${given}`.execute(db);
  return rows.map(({ client_id, imported, moved, back, has }) => ({
    client_id,
    imported,
    moved: Math.max(moved, back),
    has_tokens: has === 1,
  }));
}
