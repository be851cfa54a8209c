import {
  compareKeys,
  type KeyPage,
  keysFrom,
  pageFrom,
  type PageKey,
  type PageOrder,
  type PagePosition,
} from '../../shared/list-pages.ts';
import {
  type ListedToken,
  listedOfAccounts,
  tokenKeysOfApp,
  type TokenRank,
} from '../../store/tokens/token-keys.ts';
import type { MappingState } from '../../store/tables/tables.ts';
import type { TokensDeps } from './deps.ts';
import { type StateCounts, statesOfApp } from './states-of-app.ts';

/** Long lists of tokens: by state, in an order, page by page. */

/** The tabs of a list of tokens, with their states. */
const TOKEN_TABS = {
  all: ['reauthorization_required', 'unmapped', 'active', 'migrated', 'revoked'],
  stopped: ['reauthorization_required'],
  waiting: ['unmapped'],
  connected: ['active'],
  moved: ['migrated'],
  revoked: ['revoked'],
} as const satisfies Readonly<Record<string, readonly MappingState[]>>;

export type TokenTab = keyof typeof TOKEN_TABS;

export const TOKEN_TAB_NAMES = Object.keys(TOKEN_TABS) as TokenTab[];

/**
 * The orders: what needs somebody first, the last used first, the longest unused first, the last stopped first. Only a
 * list that is read at once knows what needs somebody.
 */
const TOKEN_ORDERS = {
  need: { by: 'need', order: 'rising' },
  used: { by: 'used', order: 'falling' },
  unused: { by: 'used', order: 'rising' },
  stopped: { by: 'stopped', order: 'falling' },
} as const satisfies Readonly<Record<string, { by: TokenRank | 'need'; order: PageOrder }>>;

export type TokenSort = keyof typeof TOKEN_ORDERS;

/** Before each other: stopped tokens, by when they stopped; then those that wait; then those that work. */
const NEEDS: Readonly<Record<MappingState, number>> = {
  reauthorization_required: 0,
  unmapped: 1e14,
  active: 2e14,
  migrated: 3e14,
  revoked: 3e14,
};

function rankOf({ state, used, changed }: ListedToken, by: TokenRank | 'need'): number {
  if (by === 'need') return NEEDS[state] + (state === 'reauthorization_required' ? changed : 0);
  return by === 'used' ? used : changed;
}

/** The orders of a tab. Only stopped tokens have a time at which they stopped. */
export const tokenSortsOf = (tab: TokenTab): readonly TokenSort[] =>
  tab === 'stopped' ? ['used', 'unused', 'stopped'] : ['used', 'unused'];

/** The orders of a list that is read at once. */
export const listedSortsOf = (tab: TokenTab): readonly TokenSort[] => ['need', ...tokenSortsOf(tab)];

export interface TokenListQuery<Sort extends TokenSort = TokenSort> {
  tab: TokenTab;
  sort: Sort;
  position: PagePosition | undefined;
}

export interface TokenKeyPage extends KeyPage<PageKey> {
  counts: Partial<Record<TokenTab, { count: number; isMore: boolean }>>;
  /** How many rows come before the page, where that is known. */
  before: number | undefined;
  /** Whether tokens that fit may be missing in the list. */
  isCut: boolean;
}

function countsByTab(states: ReadonlyMap<MappingState, number>, isMore: boolean): TokenKeyPage['counts'] {
  const counts = TOKEN_TAB_NAMES.map((tab) => {
    const count = TOKEN_TABS[tab].reduce((sum, state) => sum + (states.get(state) ?? 0), 0);
    return [tab, { count, isMore }] as const;
  });
  return Object.fromEntries(counts.filter(([, { count }]) => count > 0));
}

/**
 * One page of the tokens of an app, straight from the database. All tokens of the app are counted, unless `counted` says
 * how many are in which state: to count the tokens of a large app is the longest part of its page.
 */
export async function tokensOfAppPage(
  context: TokensDeps,
  { clientId, counted }: { clientId: string; counted?: StateCounts },
  { tab, sort, position }: TokenListQuery,
): Promise<TokenKeyPage> {
  const { by, order } = TOKEN_ORDERS[sort === 'need' ? 'used' : sort];
  const asked = { clientId, states: TOKEN_TABS[tab], by, order, position };
  const [states, keys] = await Promise.all([
    counted ?? statesOfApp(context, clientId),
    tokenKeysOfApp(context.store.durable, asked),
  ]);
  const counts = countsByTab(new Map(Object.entries(states) as Array<[MappingState, number]>), false);
  const page = pageFrom(keys, position);
  return { ...page, counts, before: page.previous === undefined ? 0 : undefined, isCut: false };
}

/** At most so many tokens are listed where a whole list is read at once. */
export const LISTED_MAX = 5000;

/** One page of a list that was read at once. */
export function pageOfListed(
  found: readonly ListedToken[],
  { tab, sort, position }: TokenListQuery,
  isCut = false,
): TokenKeyPage {
  const { by, order } = TOKEN_ORDERS[sort];
  const tokens = [...new Map(found.map((token) => [token.id, token])).values()].slice(0, LISTED_MAX);
  const states = new Map<MappingState, number>();
  for (const { state } of tokens) states.set(state, (states.get(state) ?? 0) + 1);
  const wanted: readonly MappingState[] = TOKEN_TABS[tab];
  const keys = tokens
    .filter(({ state }) => wanted.includes(state))
    .map((token) => ({ id: token.id, rank: rankOf(token, by) }))
    .toSorted(compareKeys(order));
  const page = pageFrom(keysFrom(keys, position, order), position);
  const isMore = isCut || found.length > LISTED_MAX;
  const first = page.keys[0];
  const before = first === undefined ? 0 : keys.findIndex(({ id }) => id === first.id);
  return { ...page, counts: countsByTab(states, isMore), before, isCut: isMore };
}

/** One page of the tokens of an account, at one app or at all apps. */
export async function tokensOfAccountPage(
  { store }: TokensDeps,
  of: { accountId: string; clientId?: string },
  query: TokenListQuery,
): Promise<TokenKeyPage> {
  const asked = { accountIds: [of.accountId], clientId: of.clientId };
  return pageOfListed(await listedOfAccounts(store.durable, asked, LISTED_MAX + 1), query);
}
