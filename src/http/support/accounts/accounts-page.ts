import type { RequestHandler, Router } from 'express';
import {
  ACCOUNT_TABS,
  type AccountPage,
  type AccountSort,
  accountSortsOf,
  type AccountTab,
  type ListedAccount,
  listAccounts,
} from '../../../domain/support/account-list.ts';
import type { PageShell } from '../../site/page-shell.ts';
import { leadToFind } from '../../tables/find-form.ts';
import { readTable, type TableForm, type TableQuery } from '../../tables/table-query.ts';
import { tableView } from '../../tables/table-view.ts';

/** /support/accounts: every account that is known here, by name, by when it stopped, or by its apps. */

const PATH = '/support/accounts';

const ACCOUNT_TABLE: TableForm<AccountTab, AccountSort> = { tabs: ACCOUNT_TABS, sortsOf: accountSortsOf };

const TAB_LABELS: Readonly<Record<AccountTab, string>> = {
  all: 'All',
  stopped: 'With stopped tokens',
  owners: 'Owners of apps',
};

const SORT_LABELS: Readonly<Record<AccountSort, string>> = {
  name: 'by name',
  longest: 'longest stopped first',
  last: 'last stopped first',
  most: 'most apps first',
};

function shownTable(query: TableQuery<AccountTab, AccountSort>, page: AccountPage) {
  const { counts, rows, before, previous, next, isCut } = page;
  const view = tableView(ACCOUNT_TABLE, query, {
    path: PATH,
    label: 'Accounts',
    tabLabels: TAB_LABELS,
    sortLabels: SORT_LABELS,
    counts,
    finds: 'Find by three letters or more of a name or address',
    shown: rows.length,
    before,
    previous,
    next,
  });
  return { ...view, isCut };
}

/** Whether an account has no token, so that nothing is counted in its row: it is known by a sign-in or as an owner alone. */
const hasNoToken = ({ connected, waiting, stopped, moved, revoked }: Omit<ListedAccount, 'id'>) =>
  connected + waiting + stopped + moved + revoked === 0;

const shownRow = ({ id, name, email, ...account }: ListedAccount) => ({
  ...account,
  hasNoToken: hasNoToken({ name, email, ...account }),
  href: `${PATH}/${encodeURIComponent(id)}`,
  name: name ?? email ?? id,
  email,
});

function show(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const asked = readTable(req, ACCOUNT_TABLE);
    // A search looks at all accounts, whichever tab it began on.
    const query = asked.find === undefined ? asked : { ...asked, tab: 'all' as const, sort: 'name' as const };
    const page = await listAccounts(frame.context, query);
    frame.page(res, 'support-accounts', {
      title: 'Accounts',
      wide: true,
      table: shownTable(query, page),
      accounts: page.rows.map(shownRow),
      hasStopped: page.rows.some(({ stoppedAt }) => stoppedAt !== undefined),
    });
  };
}

/** Adds /support/accounts. */
export function accountListRoutes(router: Router, frame: PageShell): void {
  router.get(PATH, show(frame));
  router.post(PATH, leadToFind);
}
