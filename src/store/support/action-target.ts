import type { Database } from '../driver/store.ts';
import type { Mapping } from '../tables/tables.ts';

/** The target of an action of staff. */

/** A token with the names of its app and account. */
export type TargetRow = Mapping & {
  app_name: string;
  app_source: string;
  app_retired_at: number | null;
  owner_account_id: string | null;
  owner_email: string | null;
  account_name: string | null;
  email: string | null;
};

/** A token by the id of its mapping, whatever its state and the state of its app. */
export async function readTarget(db: Database, mappingId: string): Promise<TargetRow | undefined> {
  return db
    .selectFrom('mappings as m')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .leftJoin('accounts as c', 'c.account_id', 'm.account_id')
    .selectAll('m')
    .select([
      'a.name as app_name',
      'a.source as app_source',
      'a.retired_at as app_retired_at',
      'a.owner_account_id',
      'a.owner_email',
      'c.name as account_name',
      'c.email',
    ])
    .where('m.id', '=', mappingId)
    .executeTakeFirst();
}

interface RepeatedAction {
  mappingId: string;
  action: string;
  actor: string;
  reason: string;
  since: number;
}

/** Whether the history of a token has this entry with the same reason since a moment. */
export async function hasEventSince(
  db: Database,
  { mappingId, action, actor, reason, since }: RepeatedAction,
): Promise<boolean> {
  const row = await db
    .selectFrom('events')
    .select('id')
    .where('mapping_id', '=', mappingId)
    .where('at', '>=', since)
    .where('action', '=', action)
    .where('actor', '=', actor)
    .where('reason', '=', reason)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
