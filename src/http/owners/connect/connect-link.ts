import type { Request, RequestHandler, Response, Router } from 'express';
import { openLink } from '../../../domain/authorization/reauthorize.ts';
import { findRegisteredApp } from '../../../domain/apps/register-app.ts';
import { tokensOfPair } from '../../../domain/tokens/tokens-of-account.ts';
import { PageError } from '../../pages/page-error.ts';
import { formTargets, refuseOnCopy } from '../../signin/leave.ts';
import { personOf } from '../../signin/session.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import { oldApiStatusOf } from '../../../domain/lifecycle/old-api-status.ts';
import { connectByWords, endOf } from '../../wording/dates/lines.ts';
import { type PageShell, signedInPerson, signInAddress } from '../../site/page-shell.ts';
import { tokenCount } from '../../wording/state-words.ts';
import { leaveToConnect } from './choose-tokens.ts';

/**
 * /apps/connect/:id: the link that asks the holder of one account to connect one app again. Scanners open links before
 * people do, and people forward links. Therefore opening the link changes nothing, and only the holder can use it. The
 * link works until the sunset, not only until the retirement: a connection that is lost after the retirement has no
 * other way back.
 */

async function linkOf({ context }: PageShell, req: Request) {
  const pair = await openLink(context, String(req.params['id']));
  const app = pair && (await findRegisteredApp(context, pair.clientId));
  if (pair && app) return { ...pair, appName: app.name };
  throw new PageError(404, 'This link is not known', {
    reason: 'The address is incomplete, or its app is no longer registered.',
    next: 'Copy the whole link from the mail, or sign in and look at your apps.',
  });
}

function showEnded(frame: PageShell, res: Response, { appName, ended }: { appName: string; ended: number }) {
  frame.page(res, 'link-ended', {
    title: 'The old API has ended',
    appName,
    ended,
  });
}

function showLink(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const { clientId, accountId, appName } = await linkOf(frame, req);
    const title = `Connect “${appName}” again`;
    const asOf = appLifecycleNow(frame.context, clientId);
    const ended = endOf(asOf);
    if (ended !== undefined) return showEnded(frame, res, { appName, ended });
    const connectBy = connectByWords(asOf);
    const person = personOf(req);
    if (!person)
      return frame.page(res, 'app-signed-out', { title, appName, connectBy, signIn: signInAddress(req) });
    if (person.accountId !== accountId)
      return frame.page(res, 'link-of-another', { title: 'This link is for another account', appName });
    const tokens = await tokensOfPair(frame.context, { clientId, accountId });
    if (!tokens || tokens.waiting === 0)
      return frame.page(res, 'link-done', {
        title: 'Already connected',
        appName,
        alive: tokens?.alive ?? 0,
        clientId,
      });
    frame.page(res, 'connect', {
      title,
      appName,
      waiting: tokenCount(tokens.waiting),
      isOne: tokens.waiting === 1,
      connectBy,
      formTargets: formTargets(frame.context.server.authorizationUrl),
    });
  };
}

function connect(frame: PageShell): RequestHandler {
  return async (req, res, next) => {
    const { clientId, accountId } = await linkOf(frame, req);
    const isHolder = signedInPerson(req).accountId === accountId;
    const hasEnded = oldApiStatusOf(appLifecycleNow(frame.context, clientId)).phase === 'ended';
    const isOpen = isHolder && !hasEnded;
    if (isOpen && (await leaveToConnect(frame, { clientId, accountId }, [req, res, next]))) return;
    // The page says why there is nothing to do.
    res.redirect(303, req.originalUrl.split('?')[0] ?? '');
  };
}

/** Adds the pages of the link. */
export function connectLinkRoutes(router: Router, frame: PageShell): void {
  router.get('/apps/connect/:id', showLink(frame));
  router.post('/apps/connect/:id', refuseOnCopy(frame.context), connect(frame));
}
