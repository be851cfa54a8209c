import type { Request, RequestHandler, Router } from 'express';
import { countedAtOf, type Desk, deskCounts, DESKS } from '../../../domain/support/desks.ts';
import { zoneOfReader } from '../../../domain/support/ended/ended-on-day.ts';
import type { StaffRole } from '../../../domain/accounts/staff.ts';
import { PageError } from '../../pages/page-error.ts';
import { type PageShell } from '../../site/page-shell.ts';
import { readerOf, roleIn } from '../../site/reader.ts';
import { deskList } from './desk-pages.ts';
import { DESK_WORDS } from './desk-words.ts';
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
    next: 'Choose one of the desks at /support/desks.',
  });
}

function oneText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function showDesk(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const desk = deskOf(req);
    if (desk === 'died-today') return showEnded(frame, req, res);
    const after = oneText(req.query['after']);
    const list = await deskList(frame.context, desk, { after, role: roleIn(res) as StaffRole });
    const next = list.next && `?${new URLSearchParams({ after: list.next }).toString()}`;
    const [{ title }, first] = [DESK_WORDS[desk], `/support/desks/${desk}`];
    const countedAt = await countedAtOf(frame.context, desk);
    const data = { words: DESK_WORDS[desk], ...list, next, first, countedAt };
    frame.page(res, 'support-desk', { title, wide: true, ...data });
  };
}

/** Adds /support/desks. */
export function deskRoutes(router: Router, frame: PageShell): void {
  router.get('/support/desks', showDesks(frame));
  router.get('/support/desks/:desk', showDesk(frame));
}
