import {
  type KeyPage,
  keysFrom,
  PAGE_ROWS,
  type PageEnds,
  pageFrom,
  type PageKey,
  type PageOrder,
  type PagePosition,
} from '../../shared/list-pages.ts';
import {
  countListedAccounts,
  countStoppedBefore,
  namedAccounts,
  ownersOfApps,
  stoppedAccounts,
  tokensOfAccounts,
  unnamedAccounts,
} from '../../store/support/support-accounts.ts';
import { type AccountFound, accountsOf } from '../../store/support/support-search.ts';
import type { Database } from '../../store/driver/store.ts';
import { peopleByPart } from '../people/find-people.ts';
import type { SupportDeps } from './deps.ts';

/** The list of all accounts, page by page. All of them are counted, by indexes alone. */

export const ACCOUNT_TABS = ['all', 'stopped', 'owners'] as const;

export type AccountTab = (typeof ACCOUNT_TABS)[number];

export type AccountSort = 'name' | 'longest' | 'last' | 'most';

const ORDERS: Readonly<Record<AccountTab, readonly AccountSort[]>> = {
  all: ['name'],
  stopped: ['longest', 'last'],
  owners: ['most'],
};

/** The orders of a tab: by name, the longest or last stopped first, or the most apps first. */
export const accountSortsOf = (tab: AccountTab): readonly AccountSort[] => ORDERS[tab];

interface AccountQuery {
  tab: AccountTab;
  sort: AccountSort;
  find: string | undefined;
  position: PagePosition | undefined;
}

/** Accounts of one tab, with the time or number by which they are ordered. */
interface RankedAccounts {
  keys: PageKey[];
  isMore: boolean;
}

/** One account as a row. */
export interface ListedAccount {
  id: string;
  name: string | undefined;
  email: string | undefined;
  connected: number;
  waiting: number;
  stopped: number;
  moved: number;
  revoked: number;
  /** Since when its first stopped token is stopped. Only the list of stopped tokens knows. */
  stoppedAt: number | undefined;
  lastUsed: number | undefined;
}

export interface AccountPage extends PageEnds {
  rows: ListedAccount[];
  before: number | undefined;
  counts: Partial<Record<AccountTab, { count: number; isMore?: boolean }>>;
  /** Whether a search may have missed accounts that fit. */
  isCut: boolean;
}

/** Accounts by how many apps they own. */
async function owners(db: Database): Promise<RankedAccounts> {
  const rows = await ownersOfApps(db);
  return { keys: rows.map(({ account_id: id, apps }) => ({ rank: apps, id })), isMore: false };
}

/** Accounts without a name follow those with one. The rank of a key says which of the two it is of. */
const STRETCHES = [
  { rank: 0, list: namedAccounts },
  { rank: 1, list: unnamedAccounts },
];

/** The stretches from a position on, in the direction in which it looks. */
function stretchesFrom(position: PagePosition | undefined) {
  if (position === undefined) return STRETCHES;
  const { key, to } = position;
  return to === 'after'
    ? STRETCHES.filter(({ rank }) => rank >= key.rank)
    : STRETCHES.filter(({ rank }) => rank <= key.rank).toReversed();
}

/** The keys that follow a position by name; one further than a page holds. */
async function keysByName(db: Database, position: PagePosition | undefined): Promise<PageKey[]> {
  const keys: PageKey[] = [];
  const to = position?.to ?? 'after';
  for (const { rank, list } of stretchesFrom(position)) {
    const limit = PAGE_ROWS + 1 - keys.length;
    const from = position?.key.rank === rank ? position.key.id : undefined;
    const ids = limit === 0 ? [] : await list(db, { from, to, limit });
    if (ids === undefined) return [];
    keys.push(...ids.map((id) => ({ rank, id })));
  }
  return keys;
}

const sortName = ({ name }: AccountFound) => (name ?? '').toLowerCase();

/** The accounts that a text fits, in the order of their names. */
async function found(context: SupportDeps, text: string): Promise<RankedAccounts> {
  const { people, isCut } = await peopleByPart(context, text);
  const ids = people.flatMap(({ person }) => (person.startsWith('account:') ? [person.slice(8)] : []));
  const rows = ids.length === 0 ? [] : await accountsOf(context.store.durable, ids);
  const sorted = rows.toSorted((one, other) => sortName(one).localeCompare(sortName(other), 'en'));
  return { keys: sorted.map(({ account_id: id }, rank) => ({ rank, id })), isMore: isCut };
}

const ORDER: Readonly<Record<AccountSort, PageOrder>> = {
  name: 'rising',
  longest: 'rising',
  last: 'falling',
  most: 'falling',
};

/** A page of accounts that are all read. */
function pageOfRanked({ keys, isMore }: RankedAccounts, { position, sort }: AccountQuery) {
  const sign = ORDER[sort] === 'rising' ? 1 : -1;
  const sorted = keys.toSorted((a, b) => sign * (a.rank - b.rank || (a.id < b.id ? -1 : 1)));
  const page = pageFrom(keysFrom(sorted, position, ORDER[sort]), position);
  const before = sorted.findIndex(({ id }) => id === page.keys[0]?.id);
  return { page, before: before < 0 ? undefined : before, isCut: isMore };
}

function rowOf(
  { account_id: id, name, email }: AccountFound,
  tokens: Awaited<ReturnType<typeof tokensOfAccounts>>,
  stoppedAt: number | undefined,
): ListedAccount {
  const own = tokens.filter(({ account_id: of }) => of === id);
  const countOf = (state: string) => own.find((one) => one.state === state)?.n ?? 0;
  const used = Math.max(0, ...own.map((one) => one.used ?? 0));
  return {
    id,
    name: name ?? undefined,
    email: email ?? undefined,
    connected: countOf('active'),
    waiting: countOf('unmapped'),
    stopped: countOf('reauthorization_required'),
    moved: countOf('migrated'),
    revoked: countOf('revoked'),
    stoppedAt,
    lastUsed: used === 0 ? undefined : used,
  };
}

/** The rows of a page, in its order. */
async function rowsOf(db: Database, keys: readonly PageKey[], tab: AccountTab): Promise<ListedAccount[]> {
  const ids = keys.map(({ id }) => id);
  if (ids.length === 0) return [];
  const [accounts, tokens] = await Promise.all([accountsOf(db, ids), tokensOfAccounts(db, ids)]);
  const byId = new Map(accounts.map((account) => [account.account_id, account]));
  return keys.flatMap(({ id, rank }) => {
    const account = byId.get(id) ?? { account_id: id, name: null, email: null };
    return rowOf(account, tokens, tab === 'stopped' ? rank : undefined);
  });
}

interface KeysOfPage {
  page: KeyPage<PageKey>;
  before: number | undefined;
  isCut: boolean;
}

async function pageByName(db: Database, { position }: AccountQuery): Promise<KeysOfPage> {
  const page = pageFrom(await keysByName(db, position), position);
  return { page, before: undefined, isCut: false };
}

/** Accounts by when their first token stopped. */
async function pageOfStopped(db: Database, { position, sort }: AccountQuery): Promise<KeysOfPage> {
  const isFalling = ORDER[sort] === 'falling';
  const page = pageFrom(await stoppedAccounts(db, { isFalling, position }, PAGE_ROWS + 1), position);
  const [first] = page.keys;
  const before = position && first && (await countStoppedBefore(db, first, { isFalling }));
  return { page, before, isCut: false };
}

const PAGES: Readonly<Record<AccountTab, (db: Database, query: AccountQuery) => Promise<KeysOfPage>>> = {
  all: pageByName,
  stopped: pageOfStopped,
  owners: async (db, query) => pageOfRanked(await owners(db), query),
};

async function countsOf(db: Database): Promise<AccountPage['counts']> {
  const { all, stopped, owners: owning } = await countListedAccounts(db);
  return { all: { count: all }, stopped: { count: stopped }, owners: { count: owning } };
}

/** What a tab holds, and what each does. A search is in all accounts, and shows its own tab alone. */
async function listed(context: SupportDeps, query: AccountQuery) {
  const { durable } = context.store;
  if (query.find === undefined) {
    const [shown, counts] = await Promise.all([PAGES[query.tab](durable, query), countsOf(durable)]);
    return { ...shown, counts };
  }
  const fitting = await found(context, query.find);
  const counts = { all: { count: fitting.keys.length, isMore: fitting.isMore } };
  return { ...pageOfRanked(fitting, query), counts };
}

/** One page of the list of accounts. */
export async function listAccounts(context: SupportDeps, query: AccountQuery): Promise<AccountPage> {
  const { page, before, counts, isCut } = await listed(context, query);
  const rows = await rowsOf(context.store.durable, page.keys, query.find === undefined ? query.tab : 'all');
  return { rows, before, counts, isCut, previous: page.previous, next: page.next };
}
