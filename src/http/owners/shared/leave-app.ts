import type { Request, RequestHandler, Router } from 'express';
import { accessTo } from '../../../domain/apps/app-access.ts';
import { allowAppAgain, leaveApp, refusesApp, sharedBySameOwner } from '../../../domain/apps/leave-app.ts';
import { leaveWith } from '../../pages/flash-notice.ts';
import { PageError } from '../../pages/page-error.ts';
import { ownerOrigin } from '../owned-app.ts';
import { fieldsOf, type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { registeredApp } from '../shown-app.ts';

/**
 * /apps/:clientId/shared: a person leaves an app that is shared with them, and allows its owner to share it again. For
 * anybody else there is no such page.
 */

/** The person, and how the app stands to them. */
async function standingOf({ context }: PageShell, req: Request) {
  const app = await registeredApp(context, req);
  const { accountId, email } = signedInPerson(req);
  const access = await accessTo(context, app, { accountId, email });
  const isShared = access !== undefined && access !== 'owner';
  const isRefused = !isShared && (await refusesApp(context, { clientId: app.client_id, accountId, email }));
  if (isShared || isRefused) return { app, accountId, email, isRefused };
  throw new PageError(404, 'This app is not shared with you', {
    reason: 'Nobody shares this app with your e-mail address, or it was taken away again.',
  });
}

function show(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const { isRefused, ...shared } = await standingOf(frame, req);
    const { name } = shared.app;
    frame.page(res, 'leave-app', {
      title: isRefused ? `You left “${name}”` : `Leave “${name}”?`,
      app: shared.app,
      isRefused,
      others: isRefused ? 0 : (await sharedBySameOwner(frame.context, shared)).length - 1,
    });
  };
}

function leave(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const { app, accountId, email } = await standingOf(frame, req);
    const isAll = fieldsOf(req)['all'] === 'on';
    const left = await leaveApp(frame.context, { app, accountId, email, isAll, ...ownerOrigin(res) });
    if (left === 0) return res.redirect(303, '/apps');
    leaveWith(frame.context, res, { href: '/apps', notice: left === 1 ? 'app-left' : 'apps-left' });
  };
}

function allow(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const { app, accountId, email } = await standingOf(frame, req);
    const isAllowed = await allowAppAgain(frame.context, { app, accountId, email, ...ownerOrigin(res) });
    if (!isAllowed) return res.redirect(303, '/apps');
    leaveWith(frame.context, res, { href: '/apps', notice: 'app-allowed' });
  };
}

/** Adds /apps/:clientId/shared. */
export function leaveAppRoutes(router: Router, frame: PageShell): void {
  router.get('/apps/:clientId/shared', frame.requirePerson, show(frame));
  router.post('/apps/:clientId/shared/leave', leave(frame));
  router.post('/apps/:clientId/shared/allow', allow(frame));
}
