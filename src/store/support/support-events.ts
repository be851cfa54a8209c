import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { Event } from '../tables/tables.ts';

/**
 * The history of one token or one app. Each source has its own index; a page holds the newest entries before an entry.
 */

/** The columns without those of the chain. */
export const SHOWN_COLUMNS = [
  'id',
  'at',
  'actor',
  'action',
  'client_id',
  'account_id',
  'grant_id',
  'mapping_id',
  'reason',
  'request_id',
] as const;

/** An entry without the columns of the chain. */
export type ShownEvent = Pick<Event, (typeof SHOWN_COLUMNS)[number]>;

interface Page {
  before: number;
  limit: number;
}

const page = (db: Database, { before, limit }: Page) =>
  db.selectFrom('events').select(SHOWN_COLUMNS).where('id', '<', before).orderBy('id', 'desc').limit(limit);

/** Entries of one token. */
export async function eventsOfMapping(db: Database, mappingId: string, at: Page): Promise<ShownEvent[]> {
  return page(db, at).where('mapping_id', '=', mappingId).execute();
}

/** Entries of grants themselves, without entries of their tokens. */
export async function eventsOfGrants(
  db: Database,
  grantIds: readonly string[],
  at: Page,
): Promise<ShownEvent[]> {
  if (grantIds.length === 0) return [];
  return page(db, at)
    .where('grant_id', 'is not', null)
    .where('grant_id', 'in', grantIds)
    .where('mapping_id', 'is', null)
    .execute();
}

/** Entries of an app and account together that name neither a token nor a grant. */
export async function eventsOfPair(
  db: Database,
  { clientId, accountId }: { clientId: string; accountId: string },
  at: Page,
): Promise<ShownEvent[]> {
  return page(db, at)
    .where('client_id', '=', clientId)
    .where('account_id', '=', accountId)
    .where('mapping_id', 'is', null)
    .where('grant_id', 'is', null)
    .execute();
}

/** Entries of an app itself. */
export async function eventsOfApp(db: Database, clientId: string, at: Page): Promise<ShownEvent[]> {
  return page(db, at)
    .where('client_id', '=', clientId)
    .where('mapping_id', 'is', null)
    .where('grant_id', 'is', null)
    .execute();
}

/** Names and addresses of accounts, as the new API last reported them. */
export async function namesOf(
  db: Database,
  accountIds: readonly string[],
): Promise<Array<{ account_id: string; name: string | null; email: string | null }>> {
  if (accountIds.length === 0) return [];
  return db
    .selectFrom('accounts')
    .select(['account_id', 'name', 'email'])
    .where(isOneOf(db, 'account_id', accountIds))
    .execute();
}
