import type { Database } from '../driver/store.ts';
import { type App, type MappingSource, type MappingState, WAITING_STATES } from '../tables/tables.ts';
import { changedAt } from './changed-at.ts';

/**
 * Tokens and apps that wait for an account: only its e-mail address is known until the address is pinned to an account
 * id.
 */

/** The owner's token of an app, which its registration made. */
const MADE_HERE: MappingSource = 'registration';

interface OwnerPin {
  /** In lower case, as e-mail addresses are compared. */
  email: string;
  accountId: string;
  now: number;
}

interface PinnedMapping {
  id: string;
  client_id: string;
}

/** Gives the tokens of an e-mail address their account. A row with an account is never changed. */
export async function pinTokens(tx: Database, { email, accountId, now }: OwnerPin): Promise<PinnedMapping[]> {
  return tx
    .updateTable('mappings')
    .set({ account_id: accountId, updated_at: changedAt(now) })
    .where('account_email', '=', email)
    .where('account_id', 'is', null)
    .returning(['id', 'client_id'])
    .execute();
}

/** Gives the apps of an e-mail address their owner; returns their client ids. */
export async function pinApps(tx: Database, { email, accountId }: OwnerPin): Promise<string[]> {
  const rows = await tx
    .updateTable('apps')
    .set({ owner_account_id: accountId })
    .where('owner_email', '=', email)
    .where('owner_account_id', 'is', null)
    .returning('client_id')
    .execute();
  return rows.map((row) => row.client_id);
}

/** Gives an account to the tokens that registrations made for the owners of these apps. */
export async function pinOwnerTokens(
  tx: Database,
  clientIds: readonly string[],
  { accountId, now }: Omit<OwnerPin, 'email'>,
): Promise<PinnedMapping[]> {
  return tx
    .updateTable('mappings')
    .set({ account_id: accountId, updated_at: changedAt(now) })
    .where('client_id', 'in', clientIds)
    .where('source', '=', MADE_HERE)
    .where('account_id', 'is', null)
    .where('account_email', 'is', null)
    .returning(['id', 'client_id'])
    .execute();
}

/** Pairs the old id of an account with its new id, unless the new id already has a pair; returns the old id. */
export async function pinIdPair(tx: Database, { email, accountId }: OwnerPin): Promise<string | undefined> {
  const known = await tx
    .selectFrom('id_pairs')
    .select('legacy_id')
    .where('kind', '=', 'account')
    .where('modern_id', '=', accountId)
    .executeTakeFirst();
  if (known) return undefined;
  const pinned = await tx
    .updateTable('id_pairs')
    .set({ modern_id: accountId })
    .where('kind', '=', 'account')
    .where('modern_id', 'is', null)
    .where('legacy_id', '=', (eb) =>
      eb
        .selectFrom('id_pairs as waiting')
        .select((e) => e.fn.min('waiting.legacy_id').as('legacy_id'))
        .where('waiting.kind', '=', 'account')
        .where('waiting.email', '=', email)
        .where('waiting.modern_id', 'is', null),
    )
    .returning('legacy_id')
    .executeTakeFirst();
  return pinned?.legacy_id;
}

/** How many tokens and apps wait under an e-mail address. What has ended, or whose app was retired, waits no more. */
export async function countWaiting(db: Database, email: string): Promise<{ tokens: number; apps: number }> {
  const tokens = await db
    .selectFrom('mappings as m')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('m.account_email', '=', email)
    .where('m.account_id', 'is', null)
    .where('m.state', 'in', WAITING_STATES)
    .where('a.retired_at', 'is', null)
    .executeTakeFirstOrThrow();
  const apps = await db
    .selectFrom('apps')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('owner_email', '=', email)
    .where('owner_account_id', 'is', null)
    .where('retired_at', 'is', null)
    .executeTakeFirstOrThrow();
  return { tokens: tokens.n, apps: apps.n };
}

/** How many tokens of one account and app are in one state. */
interface TokenCountRow extends Pick<App, 'client_id' | 'name' | 'source'> {
  state: MappingState;
  n: number;
  /** How many of them a registration made, so that the old API never saw them. */
  made_here: number;
}

/** How many tokens of an account each app has (or only this app), by state. */
export async function countTokensOf(
  db: Database,
  { accountId, clientId }: { accountId: string; clientId?: string },
): Promise<TokenCountRow[]> {
  return db
    .selectFrom('mappings')
    .innerJoin('apps', 'apps.client_id', 'mappings.client_id')
    .select(['apps.client_id', 'apps.name', 'apps.source', 'mappings.state'])
    .select((eb) => [
      eb.fn.countAll<number>().as('n'),
      eb.fn.countAll<number>().filterWhere('mappings.source', '=', MADE_HERE).as('made_here'),
    ])
    .where('mappings.account_id', '=', accountId)
    .where('apps.retired_at', 'is', null)
    .$if(clientId !== undefined, (query) => query.where('mappings.client_id', '=', clientId ?? ''))
    .groupBy(['apps.client_id', 'apps.name', 'apps.source', 'mappings.state'])
    .orderBy('apps.name')
    .orderBy('apps.client_id')
    .execute();
}

/** The apps that an account owns, by name. */
export async function listOwnedApps(
  db: Database,
  accountId: string,
): Promise<Array<{ client_id: string; name: string }>> {
  return db
    .selectFrom('apps')
    .select(['client_id', 'name'])
    .where('owner_account_id', '=', accountId)
    .where('retired_at', 'is', null)
    .orderBy('name')
    .orderBy('client_id')
    .execute();
}

/** Whether anything that once waited under an e-mail address belongs to this account. */
export async function hasPinned(
  db: Database,
  { email, accountId }: Pick<OwnerPin, 'email' | 'accountId'>,
): Promise<boolean> {
  const token = db
    .selectFrom('mappings')
    .select('account_id')
    .where('account_email', '=', email)
    .where('account_id', '=', accountId);
  const app = db
    .selectFrom('apps')
    .select('owner_account_id as account_id')
    .where('owner_email', '=', email)
    .where('owner_account_id', '=', accountId);
  const pair = db
    .selectFrom('id_pairs')
    .select('modern_id as account_id')
    .where('email', '=', email)
    .where('modern_id', '=', accountId);
  return (await token.union(app).union(pair).limit(1).execute()).length > 0;
}
