import { sql, type SqlBool } from 'kysely';
import {
  compareKeys,
  PAGE_ROWS,
  type PageKey,
  type PageOrder,
  type PagePosition,
} from '../../shared/list-pages.ts';
import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';
import type { MappingState } from '../tables/tables.ts';

/** The order of long lists of tokens. Each statement reads one page of one index, however many tokens an app has. */

/** The rank of a token: its last use, to the day, or when it stopped. */
export type TokenRank = 'used' | 'stopped';

interface TokenOrder {
  by: TokenRank;
  order: PageOrder;
  position: PagePosition | undefined;
}

/** Repeats the expression of the index mappings_by_use. */
const USED = sql<number>`coalesce(m.last_used_at, 0)`;

const RANKS = { used: USED, stopped: sql<number>`m.updated_at` } as const;

const READ = PAGE_ROWS + 1;

/** Whether a list is read towards smaller ranks. */
const isDown = ({ order, position }: TokenOrder) => (order === 'falling') !== (position?.to === 'back');

/** SQLite uses the index of an expression for a comparison with one value alone, so that is said besides. */
function beyond(asked: TokenOrder) {
  const rank = RANKS[asked.by];
  if (asked.position === undefined) return undefined;
  const { key } = asked.position;
  return isDown(asked)
    ? sql<SqlBool>`${rank} <= ${key.rank} and (${rank}, m.id) < (${key.rank}, ${key.id})`
    : sql<SqlBool>`${rank} >= ${key.rank} and (${rank}, m.id) > (${key.rank}, ${key.id})`;
}

async function keysInState(
  db: Database,
  { clientId, state }: { clientId: string; state: MappingState },
  asked: TokenOrder,
): Promise<PageKey[]> {
  const [rank, after] = [RANKS[asked.by], beyond(asked)];
  const direction = isDown(asked) ? 'desc' : 'asc';
  let query = db
    .selectFrom('mappings as m')
    .select(['m.id', rank.as('rank')])
    .where('m.client_id', '=', clientId)
    // Repeats the condition of the index mappings_stopped.
    .where('m.state', '=', sql.lit(state));
  if (after) query = query.where(after);
  return query.orderBy(rank, direction).orderBy('m.id', direction).limit(READ).execute();
}

/**
 * The tokens of an app that follow a position, one further than a page holds. Each state is read in its own order, and
 * the first of all states are taken.
 */
export async function tokenKeysOfApp(
  db: Database,
  { clientId, states, ...asked }: TokenOrder & { clientId: string; states: readonly MappingState[] },
): Promise<PageKey[]> {
  const found = await Promise.all(states.map((state) => keysInState(db, { clientId, state }, asked)));
  const compare = compareKeys(isDown(asked) ? 'falling' : 'rising');
  return found.flat().toSorted(compare).slice(0, READ);
}

/** What a token is listed by, where a whole list is read at once. */
export interface ListedToken {
  id: string;
  state: MappingState;
  used: number;
  /** The last change, which of a stopped token is its stop. */
  changed: number;
}

const listed = (db: Database) =>
  db.selectFrom('mappings as m').select(['m.id', 'm.state', USED.as('used'), 'm.updated_at as changed']);

/** The tokens of some accounts, at one app or at all apps, up to `limit`. */
export async function listedOfAccounts(
  db: Database,
  { accountIds, clientId }: { accountIds: readonly string[]; clientId?: string | undefined },
  limit: number,
): Promise<ListedToken[]> {
  return listed(db)
    .where(isOneOf(db, 'm.account_id', accountIds))
    .$if(clientId !== undefined, (query) => query.where('m.client_id', '=', clientId ?? ''))
    .limit(limit)
    .execute();
}

/** Few rows have the marks, and very many are of a large app: the index of the marks is the one to use. */
const APP_UNINDEXED = sql`(m.client_id || '')`;

type TokenMarks = { hint_first: string } | { hint_last: string } | { addresses: readonly string[] };

/** The tokens of an app by their first or last four characters, or of some addresses, up to `limit`. */
export async function listedBy(
  db: Database,
  { clientId, ...marks }: TokenMarks & { clientId: string },
  limit: number,
): Promise<ListedToken[]> {
  let query = listed(db).where(sql<SqlBool>`${APP_UNINDEXED} = ${clientId}`);
  if ('addresses' in marks)
    query = query.where('m.account_id', 'is', null).where(isOneOf(db, 'm.account_email', marks.addresses));
  else if ('hint_first' in marks) query = query.where('m.hint_first', '=', marks.hint_first);
  else query = query.where('m.hint_last', '=', marks.hint_last);
  return query.limit(limit).execute();
}
