import type { Request, RequestHandler, Router } from 'express';
import {
  countedAtOf,
  type Desk,
  DESK_TABLES,
  deskCounts,
  DESKS,
  type DeskSort,
  type DeskTab,
  type StackedDesk,
} from '../../../domain/support/desks.ts';
import { zoneOfReader } from '../../../domain/support/ended/ended-on-day.ts';
import type { StaffRole } from '../../../domain/accounts/staff.ts';
import { PageError } from '../../pages/page-error.ts';
import { type PageShell } from '../../site/page-shell.ts';
import { readerOf, roleIn } from '../../site/reader.ts';
import { leadToFind } from '../../tables/find-form.ts';
import { readTable, type TableForm, type TableQuery } from '../../tables/table-query.ts';
import { tableView } from '../../tables/table-view.ts';
import { type DeskList, deskList } from './desk-pages.ts';
import { DESK_SORT_LABELS, DESK_TAB_LABELS, DESK_WORDS, FINDS } from './desk-words.ts';
import { showEnded } from '../ended/ended-desk.ts';
import { brokenTodayWords } from '../ended/ended-words.ts';

/** /support/desks: everything that needs somebody to look at it. /support/desks/:desk: the list of one kind. */

function showDesks(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const zone = await zoneOfReader(frame.context, readerOf(req).id);
    const counts = await deskCounts(frame.context, zone);
    const wordsFor = (desk: Desk) => (desk === 'died-today' ? brokenTodayWords(zone) : DESK_WORDS[desk]);
    const desks = counts.map((one) => ({ ...one, ...wordsFor(one.desk) }));
    frame.page(res, 'support-desks', {
      title: 'Desks',
      wide: true,
      desks,
      isClear: desks.every(({ count, isMore }) => count === 0 && !isMore),
    });
  };
}

function deskOf(req: Request): Desk {
  const named = DESKS.find((desk) => desk === req.params['desk']);
  if (named !== undefined) return named;
  throw new PageError(404, 'There is no such desk', {
    reason: 'The address names a desk that is not known here.',
    next: 'Choose one of the desks.',
    wayOn: { href: '/support/desks', label: 'All desks' },
  });
}

type DeskForm = TableForm<DeskTab, DeskSort>;

const formOf = (desk: StackedDesk): DeskForm => ({
  tabs: DESK_TABLES[desk].tabs,
  sortsOf: () => DESK_TABLES[desk].sorts,
});

const isOneTab = (desk: StackedDesk) => DESK_TABLES[desk].tabs.length === 1;

/** What the template shows of a desk beside its rows. Empty tabs are left out. */
function deskTable(desk: StackedDesk, query: TableQuery<DeskTab, DeskSort>, list: DeskList) {
  const { counts, rows, before, previous, next, isCut } = list;
  const filled = Object.entries(counts).filter(([, count]) => count > 0);
  const view = tableView(formOf(desk), query, {
    path: `/support/desks/${desk}`,
    label: DESK_WORDS[desk].title,
    tabLabels: DESK_TAB_LABELS,
    sortLabels: { ...DESK_SORT_LABELS, ...DESK_WORDS[desk].sorts },
    counts: Object.fromEntries(filled.map(([tab, count]) => [tab, { count }])),
    ...(counts.all !== 0 || query.find !== undefined ? { finds: DESK_WORDS[desk].finds ?? FINDS } : {}),
    shown: rows.length,
    before,
    previous,
    next,
  });
  return { ...view, isCut, ...(isOneTab(desk) && { tabs: [] }) };
}

function showDesk(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const desk = deskOf(req);
    if (desk === 'died-today') return showEnded(frame, req, res);
    const query = readTable(req, formOf(desk));
    const list = await deskList(frame.context, desk, { query, role: roleIn(res) as StaffRole });
    const countedAt = await countedAtOf(frame.context, desk);
    frame.page(res, 'support-desk', {
      title: DESK_WORDS[desk].title,
      wide: true,
      words: DESK_WORDS[desk],
      rows: list.rows,
      isEmpty: list.counts.all === 0 && query.find === undefined,
      table: deskTable(desk, query, list),
      countedAt,
    });
  };
}

/** Adds /support/desks. */
export function deskRoutes(router: Router, frame: PageShell): void {
  router.get('/support/desks', showDesks(frame));
  router.get('/support/desks/:desk', showDesk(frame));
  router.post('/support/desks/:desk', leadToFind);
}
