import type { Request, RequestHandler, Router } from 'express';
import { countedAtOf, type Desk, deskCounts, DESK_MAX, DESKS } from '../../domain/support/desks.ts';
import type { StaffRole } from '../../domain/staff.ts';
import { PageError } from '../page-error.ts';
import { type Frame, roleIn } from '../people/frame.ts';
import { deskList } from './desk-pages.ts';
import { DESK_WORDS } from './desk-words.ts';

/** /support/desks: what asks for somebody to look at it, and /support/desks/:desk: the list of one kind. */

function showDesks(frame: Frame): RequestHandler {
  return async (_req, res) => {
    const counts = await deskCounts(frame.context);
    const desks = counts.map((one) => ({ ...one, ...DESK_WORDS[one.desk] }));
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

function showDesk(frame: Frame): RequestHandler {
  return async (req, res) => {
    const desk = deskOf(req);
    const [after, cause] = [oneText(req.query['after']), oneText(req.query['cause'])];
    const list = await deskList(frame.context, desk, { after, cause, role: roleIn(res) as StaffRole });
    const isOneCause = list.causes.some(({ isShown }) => isShown);
    const kept = isOneCause ? { cause: cause ?? '' } : {};
    const next = list.next && `?${new URLSearchParams({ ...kept, after: list.next }).toString()}`;
    frame.page(res, 'support-desk', {
      title: DESK_WORDS[desk].title,
      wide: true,
      desk,
      words: DESK_WORDS[desk],
      ...list,
      next,
      isOneCause,
      countedAt: await countedAtOf(frame.context, desk),
      max: DESK_MAX,
    });
  };
}

/** Adds /support/desks. */
export function deskRoutes(router: Router, frame: Frame): void {
  router.get('/support/desks', showDesks(frame));
  router.get('/support/desks/:desk', showDesk(frame));
}
