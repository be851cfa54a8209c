import {
  listedSortsOf,
  TOKEN_TAB_NAMES,
  type TokenKeyPage,
  type TokenSort,
  tokenSortsOf,
  type TokenTab,
} from '../../domain/tokens/token-list.ts';
import { lastUseNotedAt } from '../../domain/tokens/app-tokens.ts';
import type { TokensDeps } from '../../domain/tokens/deps.ts';
import type { Sentence } from '../wording/words.ts';
import type { TableForm, TableQuery } from './table-query.ts';
import { tableView } from './table-view.ts';

/** The lists of tokens of every page: their tabs, their orders and their words. */

export const TOKEN_TABLE: TableForm<TokenTab, TokenSort> = { tabs: TOKEN_TAB_NAMES, sortsOf: tokenSortsOf };

/** The tokens of an account, which are read at once. */
export const ACCOUNT_TOKEN_TABLE: TableForm<TokenTab, TokenSort> = {
  tabs: TOKEN_TAB_NAMES,
  sortsOf: listedSortsOf,
};

const TAB_LABELS: Readonly<Record<TokenTab, string>> = {
  all: 'All',
  stopped: 'Stopped',
  waiting: 'Waiting',
  connected: 'Connected',
  moved: 'Moved',
  revoked: 'Revoked',
};

const SORT_LABELS: Readonly<Record<TokenSort, string>> = {
  need: 'most urgent first',
  used: 'last used first',
  unused: 'longest unused first',
  stopped: 'last stopped first',
};

/** Calls are noted in the list once an hour and to the day, so the order may lag behind the times that the rows show. */
async function orderWords(context: TokensDeps, sort: TokenSort): Promise<Sentence> {
  if (sort === 'stopped' || sort === 'need') return [];
  const at = await lastUseNotedAt(context);
  return at === undefined
    ? ['The order is that of the last use as the import says it: later uses are not noted in it yet.']
    : [
        'Sorted by the day of the last use, as it was known ',
        at,
        '. A call that was refused counts as a use.',
      ];
}

interface TokenTableFacts {
  path: string;
  page: TokenKeyPage;
  /** What the search box takes; undefined where the list has none. */
  finds?: string;
  /** If not that of the tokens of an app. */
  form?: TableForm<TokenTab, TokenSort>;
  /** Where on its page the list stands, if not at the top. */
  anchor?: string;
}

/** What the templates show of a list of tokens beside its rows. */
export async function tokenTable(
  context: TokensDeps,
  query: TableQuery<TokenTab, TokenSort>,
  { path, page, finds, anchor, form = TOKEN_TABLE }: TokenTableFacts,
) {
  const { counts, previous, next, before, keys, isCut } = page;
  const view = tableView(form, query, {
    path,
    label: 'Tokens by state',
    tabLabels: TAB_LABELS,
    sortLabels: SORT_LABELS,
    counts,
    ...(finds !== undefined && { finds }),
    ...(anchor !== undefined && { anchor }),
    shown: keys.length,
    before,
    previous,
    next,
  });
  return { ...view, isCut, order: await orderWords(context, query.sort) };
}
