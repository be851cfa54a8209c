import type { RequestHandler, Response, Router } from 'express';
import { tokensOfPair } from '../../../domain/tokens/tokens-of-account.ts';
import { formTargets, refuseOnCopy } from '../../signin/leave.ts';
import { linkForm, linkPath } from '../../signin/link-form.ts';
import { wantsAnother } from '../../signin/return/wants-another.ts';
import { personOf } from '../../signin/session.ts';
import { appLifecycleNow } from '../../wording/dates/card.ts';
import { connectByWords, endOf } from '../../wording/dates/lines.ts';
import { type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { tokenCount } from '../../wording/state-words.ts';
import { leaveToConnect } from './choose-tokens.ts';
import { signedOutLinkRoutes } from './connect-signed-out.ts';
import { hasEnded, linkedApp } from './linked-app.ts';

/**
 * /apps/connect/:id: the link that asks the holder of one account to connect one app again. Scanners open links before
 * people do, and people forward links. Therefore opening the link changes nothing, and only the holder can use it. The
 * link works until the sunset, not only until the retirement: a connection that is lost after the retirement has no
 * other way back.
 */

type LinkTarget = Awaited<ReturnType<typeof linkedApp>>;

/** The page for a browser in which nobody is signed in, or somebody else. Undefined for the holder. */
function showOther(frame: PageShell, res: Response, linked: LinkTarget): true | undefined {
  const { req } = res;
  const { clientId, accountId, linkId, appName } = linked;
  const person = personOf(req);
  if (person?.accountId === accountId) return undefined;
  const targets = formTargets(frame.context.server.authorizationUrl);
  if (person) {
    const title = 'This link is for another account';
    frame.page(res, 'link-of-another', {
      title,
      appName,
      switchAction: `${linkPath(linkId)}/switch`,
      formTargets: targets,
    });
    return true;
  }
  frame.page(res, 'connect-signed-out', {
    title: `Connect “${appName}” again`,
    appName,
    connectBy: connectByWords(appLifecycleNow(frame.context, clientId)),
    form: linkForm(frame.parts, { req, res }, linkId),
    isOther: wantsAnother(req),
    formTargets: targets,
  });
  return true;
}

async function showHolder(frame: PageShell, res: Response, linked: LinkTarget): Promise<void> {
  const { clientId, accountId, appName } = linked;
  const tokens = await tokensOfPair(frame.context, { clientId, accountId });
  const alive = tokens?.alive ?? 0;
  if (!tokens || tokens.waiting === 0)
    return frame.page(res, 'link-done', {
      title: alive === 0 ? 'Nothing to connect' : 'Already connected',
      appName,
      alive,
      clientId,
    });
  frame.page(res, 'connect', {
    title: `Connect “${appName}” again`,
    appName,
    waiting: tokenCount(tokens.waiting),
    isOne: tokens.waiting === 1,
    isOther: wantsAnother(res.req),
    connectBy: connectByWords(appLifecycleNow(frame.context, clientId)),
    formTargets: formTargets(frame.context.server.authorizationUrl),
  });
}

function showLink(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const linked = await linkedApp(frame.context, req);
    const { clientId, appName } = linked;
    const ended = endOf(appLifecycleNow(frame.context, clientId));
    if (ended !== undefined)
      return frame.page(res, 'link-ended', { title: 'The old API has ended', appName, ended });
    if (!showOther(frame, res, linked)) await showHolder(frame, res, linked);
  };
}

function connect(frame: PageShell): RequestHandler {
  return async (req, res, next) => {
    const { clientId, accountId, linkId } = await linkedApp(frame.context, req);
    const isHolder = signedInPerson(req).accountId === accountId;
    const isOpen = isHolder && !hasEnded(frame.context, clientId);
    if (isOpen && (await leaveToConnect(frame, { clientId, accountId }, [req, res, next]))) return;
    // The page says why there is nothing to do.
    res.redirect(303, linkPath(linkId));
  };
}

/** Adds the pages of the link. */
export function connectLinkRoutes(router: Router, frame: PageShell): void {
  router.get('/apps/connect/:id', showLink(frame));
  router.post('/apps/connect/:id', refuseOnCopy(frame.context), connect(frame));
  signedOutLinkRoutes(router, frame);
}
