import { sql } from 'kysely';
import type { Database } from '../driver/store.ts';
import type { Mapping, MappingState } from '../tables/tables.ts';

/** The tokens of one app, for a reminder to its owner. Each statement reads one piece, however many tokens an app has. */

/** The facts of a token that a reminder to the owner of its app needs. */
export type OwnersToken = Pick<
  Mapping,
  'id' | 'state' | 'source' | 'account_id' | 'account_email' | 'last_used_at' | 'updated_at'
>;

/**
 * A piece of the tokens of one app, in the order of their ids, whatever their state: a condition on the state would let
 * SQLite choose an index in which it reads and sorts all tokens of a large app each time.
 */
export async function listOwnersTokens(
  db: Database,
  { clientId, after, limit }: { clientId: string; after: string; limit: number },
): Promise<OwnersToken[]> {
  return db
    .selectFrom('mappings')
    .select(['id', 'state', 'source', 'account_id', 'account_email', 'last_used_at', 'updated_at'])
    .where('client_id', '=', clientId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Who holds tokens: accounts, or addresses whose account is not known. */
export type HolderKind = 'account' | 'address';

const HOLDER = { account: 'account_id', address: 'account_email' } as const;

interface AppState {
  clientId: string;
  state: MappingState;
}

/** A holder of tokens of one app that are in one state. */
export interface OwnersHolder {
  holder: string;
  tokens: number;
}

/**
 * A piece of the holders of an app's tokens in one state, in their order, with the numbers of their tokens. The index
 * mappings_by_state has all of this, so no row of a token is read.
 */
export async function listOwnersHolders(
  db: Database,
  { clientId, state }: AppState,
  { by, after, limit }: { by: HolderKind; after: string; limit: number },
): Promise<OwnersHolder[]> {
  const holder = sql.ref<string>(HOLDER[by]);
  const rows = await db
    .selectFrom('mappings')
    .select((eb) => [holder.as('holder'), eb.fn.countAll<number | string>().as('tokens')])
    .where('client_id', '=', clientId)
    .where('state', '=', state)
    .$if(by === 'address', (query) => query.where('account_id', 'is', null))
    .where(holder, '>', after)
    .groupBy(holder)
    .orderBy(holder)
    .limit(limit)
    .execute();
  return rows.map((row) => ({ holder: row.holder, tokens: Number(row.tokens) }));
}

/** How many of an app's tokens in one state have no known holder. */
export async function countWithoutHolder(db: Database, { clientId, state }: AppState): Promise<number> {
  const { tokens } = await db
    .selectFrom('mappings')
    .select((eb) => eb.fn.countAll<number | string>().as('tokens'))
    .where('client_id', '=', clientId)
    .where('state', '=', state)
    .where('account_id', 'is', null)
    .where('account_email', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(tokens);
}

/** Repeats the expression of the index mappings_by_use. */
const USED = sql<number>`coalesce(last_used_at, 0)`;

/** The last use of any of an app's tokens in one state; undefined without any. */
export async function lastUseOf(db: Database, { clientId, state }: AppState): Promise<number | undefined> {
  const row = await db
    .selectFrom('mappings')
    .select('last_used_at')
    .where('client_id', '=', clientId)
    .where('state', '=', state)
    .orderBy(USED, 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.last_used_at ?? undefined;
}

/** A piece of an app's tokens in one state of which no use is known, in the order of their ids. */
export async function listUnusedTokens(
  db: Database,
  { clientId, state }: AppState,
  { after, limit }: { after: string; limit: number },
): Promise<OwnersToken[]> {
  return db
    .selectFrom('mappings')
    .select(['id', 'state', 'source', 'account_id', 'account_email', 'last_used_at', 'updated_at'])
    .where('client_id', '=', clientId)
    .where('state', '=', state)
    .where(USED, '=', 0)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}
