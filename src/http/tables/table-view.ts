import { keyText, type PageEnds } from '../../shared/list-pages.ts';
import { formatNumber } from '../wording/words.ts';
import type { TableForm, TableQuery } from './table-query.ts';

/** The tabs, the search, the orders and the pages of a long list, for the templates `table-head` and `table-pages`. */

export interface TabCount {
  count: number;
  /** Whether there are more than were counted. */
  isMore?: boolean;
}

/** What a page knows of its list. */
export interface TableFacts<Tab extends string, Sort extends string> extends PageEnds {
  path: string;
  /** What the tabs are of, for people who hear the page: “Tokens by state”. */
  label: string;
  tabLabels: Readonly<Record<Tab, string>>;
  sortLabels: Readonly<Record<Sort, string>>;
  /** Tabs without an entry are left out, but for the one that is shown. */
  counts: Partial<Record<Tab, TabCount>>;
  /** What the search box takes; undefined where the list has none. */
  finds?: string;
  /** Where on its page the list stands, if not at the top. */
  anchor?: string;
  /** How many rows the page holds. */
  shown: number;
  /** How many rows come before those of the page, where that is known. */
  before?: number | undefined;
}

type AddressOf = (changes: Record<string, string | undefined>) => string;

/** Addresses of the list. What every address would say is left out. */
function addressesOf<Tab extends string, Sort extends string>(
  { path, anchor }: Pick<TableFacts<Tab, Sort>, 'path' | 'anchor'>,
  form: TableForm<Tab, Sort>,
  query: TableQuery<Tab, Sort>,
): AddressOf {
  const end = anchor === undefined ? '' : `#${anchor}`;
  const { prefix = '' } = form;
  return (changes) => {
    const { show, sort, ...rest } = { show: query.tab, sort: query.sort, find: query.find, ...changes };
    const all: Record<string, string | undefined> = {
      show: show === form.tabs[0] ? undefined : show,
      sort: sort === form.sortsOf(show ?? query.tab)[0] ? undefined : sort,
      ...rest,
    };
    const named = Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined);
    const text = new URLSearchParams(
      named.map(([name, value]): [string, string] => [`${prefix}${name}`, value]),
    ).toString();
    return `${path}${text === '' ? '' : `?${text}`}${end}`;
  };
}

const countWords = ({ count, isMore }: TabCount) => `${isMore ? 'at least ' : ''}${formatNumber(count)}`;

interface PlaceOnPage {
  shown: number;
  /** Undefined where the rows before the page are not counted. */
  before: number | undefined;
  of: TabCount | undefined;
}

/** `1 to 50 of 4,808`, or `50 of 4,808`; undefined of a page without rows. */
function placeWords({ shown, before, of }: PlaceOnPage): string | undefined {
  if (shown === 0) return undefined;
  const total = of === undefined ? '' : ` of ${countWords(of)}`;
  const rows = formatNumber(before === undefined ? shown : before + shown);
  return before === undefined ? `${rows}${total}` : `${formatNumber(before + 1)} to ${rows}${total}`;
}

/** What the templates show of a list beside its rows. */
export function tableView<Tab extends string, Sort extends string>(
  form: TableForm<Tab, Sort>,
  query: TableQuery<Tab, Sort>,
  facts: TableFacts<Tab, Sort>,
) {
  const { path, label, tabLabels, sortLabels, counts, shown, previous, next } = facts;
  const address = addressesOf(facts, form, query);
  const tabs = form.tabs.filter((tab) => counts[tab] !== undefined || tab === query.tab);
  return {
    path,
    label,
    tabs: tabs.map((tab) => ({
      label: tabLabels[tab],
      count: countWords(counts[tab] ?? { count: 0 }),
      href: address({ show: tab, sort: undefined }),
      isShown: tab === query.tab,
    })),
    sorts: form.sortsOf(query.tab).map((sort) => ({
      label: sortLabels[sort],
      href: address({ sort }),
      isShown: sort === query.sort,
    })),
    finds: facts.finds,
    find: query.find,
    prefix: form.prefix ?? '',
    fields: { show: query.tab, sort: query.sort, prefix: form.prefix ?? '' },
    all: address({ find: undefined }),
    isFirst: query.position === undefined,
    place: placeWords({
      shown,
      before: query.position === undefined ? 0 : facts.before,
      of: counts[query.tab],
    }),
    first: address({}),
    previous: previous && address({ back: keyText(previous) }),
    next: next && address({ after: keyText(next) }),
  };
}
