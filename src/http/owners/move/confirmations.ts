import type { Request, Response, Router } from 'express';
import { TakeBackRefused } from '../../../domain/history/record-deed.ts';
import { KINDS } from '../../../domain/take-back/kinds.ts';
import { openConfirmation } from '../../../domain/take-back/look.ts';
import { takeConfirmationBack } from '../../../domain/take-back/take-back.ts';
import { leaveWith } from '../../pages/flash-notice.ts';
import { PageError } from '../../pages/page-error.ts';
import type { PageShell } from '../../site/page-shell.ts';
import { underHead } from '../head/app-head.ts';
import { ownedApp, ownerOrigin } from '../owned-app.ts';

/** /apps/:clientId/handovers/:entryId/take-back: the owner takes back that the app has its pair. */

const ADDRESS = '/apps/:clientId/handovers/:entryId/take-back';

async function ask(frame: PageShell, req: Request, res: Response): Promise<void> {
  const seen = await ownedApp(frame.context, req);
  const entryId = Number(req.params['entryId']);
  const one = await openConfirmation(frame.context, { clientId: seen.app.client_id, entryId });
  if (!one)
    throw new PageError(404, 'There is nothing to take back', {
      reason:
        'The confirmation was taken back, or its pair is erased: it is kept for seven days after the hand-over.',
      next: 'The page “Move” of the app says what can be taken back.',
    });
  frame.page(res, 'take-confirmation-back', {
    title: 'Take back the confirmation?',
    ...(await underHead(frame.context, seen, 'move')),
    account: one.accountId,
    at: one.doneAt,
    back: KINDS.confirm.back,
  });
}

async function act(frame: PageShell, req: Request, res: Response): Promise<void> {
  const {
    app: { client_id: clientId },
  } = await ownedApp(frame.context, req);
  const href = `/apps/${clientId}/move`;
  try {
    await takeConfirmationBack(frame.context, {
      entryId: Number(req.params['entryId']),
      clientId,
      ...ownerOrigin(res),
    });
  } catch (error) {
    if (!(error instanceof TakeBackRefused)) throw error;
    return leaveWith(frame.context, res, { href, notice: 'too-late' });
  }
  leaveWith(frame.context, res, { href, notice: 'taken-back' });
}

/** Adds the page and the form. */
export function confirmationRoutes(router: Router, frame: PageShell): void {
  router.get(ADDRESS, frame.requirePerson, (req, res) => ask(frame, req, res));
  router.post(ADDRESS, (req, res) => act(frame, req, res));
}
