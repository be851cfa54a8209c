import { sql, type SqlBool } from 'kysely';
import type { Database } from '../driver/store.ts';

/**
 * All tokens with a known account, in the order of apps and accounts, with the columns that decide which API answers
 * their calls.
 */

export interface TokenKey {
  client_id: string;
  account_id: string;
  id: string;
}

/** A piece of these tokens after a key: of one app, or of all live apps. */
export async function tokensByPair(
  db: Database,
  { after, limit, clientId }: { after: TokenKey; limit: number; clientId: string | undefined },
) {
  const rows = await db
    .selectFrom('mappings as m')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .leftJoin('grants as g', 'g.id', 'm.grant_id')
    .select([
      'm.id',
      'm.client_id',
      'm.account_id',
      'm.state',
      'm.source',
      'm.app_proven',
      'm.refused_there_at',
      'a.source as app_source',
      'a.cut_over_percent',
      'a.retired_at',
      'g.modern_client_id',
      'g.scope',
    ])
    .where(
      sql<SqlBool>`(m.client_id, m.account_id, m.id) > (${after.client_id}, ${after.account_id}, ${after.id})`,
    )
    .where('m.account_id', 'is not', null)
    .$if(clientId !== undefined, (query) => query.where('m.client_id', '=', clientId ?? ''))
    .orderBy('m.client_id')
    .orderBy('m.account_id')
    .orderBy('m.id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, account_id: row.account_id ?? '' }));
}

export type TokenOfPair = Awaited<ReturnType<typeof tokensByPair>>[number];
