import { folded } from '../../../domain/people/near-words.ts';
import { keysFrom, type KeyPage, pageFrom, type PageKey } from '../../../shared/list-pages.ts';
import type { TableForm, TableQuery } from '../../tables/table-query.ts';
import { type TabCount, tableView } from '../../tables/table-view.ts';

/** A list of apps: with a card for each while they are few, else as a table with tabs, search, order and pages. */

/** More apps than these stand in a table. */
const CARDS_MAX = 12;

type AppTab = 'all' | 'waiting' | 'done';
type AppSort = 'urgent' | 'name';

export type AppTable = TableForm<AppTab, AppSort>;
type AppQuery = TableQuery<AppTab, AppSort>;

const TABLE: AppTable = { tabs: ['all', 'waiting', 'done'], sortsOf: () => ['urgent', 'name'] };

/** The two lists of a person. */
export const OWN_TABLE: AppTable = { ...TABLE, prefix: 'own-' };
export const CONNECTED_TABLE: AppTable = { ...TABLE, prefix: 'use-' };

export interface ListedApp {
  clientId: string;
  name: string;
  /** Whether somebody has still to connect it. */
  isWaiting: boolean;
}

const IN_TAB: Readonly<Record<AppTab, (app: ListedApp) => boolean>> = {
  all: () => true,
  waiting: ({ isWaiting }) => isWaiting,
  done: ({ isWaiting }) => !isWaiting,
};

const byName = (one: ListedApp, other: ListedApp) => one.name.localeCompare(other.name, 'en');

type RankedApp<App> = PageKey & { app: App };

/** The position names an app by its id; its place may have changed since. */
function positionNow<App extends ListedApp>(keys: ReadonlyArray<RankedApp<App>>, { position }: AppQuery) {
  if (position === undefined) return undefined;
  const place = keys.find(({ id }) => id === position.key.id);
  return place ? { ...position, key: place } : position;
}

export interface AppListPage<App> {
  isTable: boolean;
  shown: App[];
  page: KeyPage<RankedApp<App>>;
  counts: Partial<Record<AppTab, TabCount>>;
}

function countsOf(apps: readonly ListedApp[]): AppListPage<never>['counts'] {
  const counts = TABLE.tabs.map((tab) => [tab, { count: apps.filter(IN_TAB[tab]).length }] as const);
  return Object.fromEntries(counts.filter(([, { count }]) => count > 0));
}

/** The apps of a page, out of all apps of a list in the order of their urgency. */
export function appListPage<App extends ListedApp>(apps: readonly App[], query: AppQuery): AppListPage<App> {
  const isTable = apps.length > CARDS_MAX;
  const wanted = folded(query.find ?? '');
  const found = apps.filter(({ name, clientId }) => folded(name).includes(wanted) || clientId === query.find);
  const inTab = found.filter(IN_TAB[query.tab]);
  const sorted = query.sort === 'name' ? inTab.toSorted(byName) : inTab;
  const keys = sorted.map((app, rank) => ({ app, rank, id: app.clientId }));
  const position = positionNow(keys, query);
  const page = pageFrom(keysFrom(keys, position, 'rising'), position);
  const shown = isTable ? page.keys.map(({ app }) => app) : [...apps];
  return { isTable, shown, page, counts: countsOf(found) };
}

/** What the templates show of a table of apps beside its rows; undefined where the apps have cards. */
export function appTableView<App>(
  form: AppTable,
  query: AppQuery,
  { isTable, page, counts }: AppListPage<App>,
) {
  if (!isTable) return undefined;
  return tableView(form, query, {
    path: '/apps',
    label: form.prefix === OWN_TABLE.prefix ? 'Apps that you registered' : 'Apps that use your account',
    tabLabels: { all: 'All', waiting: 'Waiting', done: 'Nobody waits' },
    sortLabels: { urgent: 'most urgent first', name: 'by name' },
    counts,
    finds: 'Find by name or client id',
    shown: page.keys.length,
    before: page.keys[0]?.rank,
    previous: page.previous,
    next: page.next,
    anchor: `${form.prefix}apps`,
  });
}
