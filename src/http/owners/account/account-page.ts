import type { RequestHandler, Router } from 'express';
import { endSessionsOf, signedInAs } from '../../../domain/accounts/sessions.ts';
import { SESSION_IDLE, MINUTE } from '../../../shared/lifetimes.ts';
import { requestIdOf } from '../../request-id.ts';
import { switchRoute } from '../../signin/sign-in-or-ask.ts';
import { sessionTimes, personOf } from '../../signin/session.ts';
import { signOutThere } from './sign-out.ts';
import { type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { roleIn } from '../../site/reader.ts';

/**
 * /apps/account: the signed-in account, how long the session lasts, and in how many browsers it is signed in. One
 * button ends all sessions at once.
 */

const PAGE = '/apps/account';

const ROLES = {
  reader: 'You may look at what support sees, and change nothing.',
  agent: 'You may look at what support sees, and act for people.',
  lead: 'You may do everything that support staff may do.',
} as const;

function showAccount(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const { accountId } = signedInPerson(req);
    const role = roleIn(res);
    frame.page(res, 'account', {
      title: 'Your account',
      ...(await signedInAs(frame.context, accountId)),
      ...sessionTimes(req, frame.context.clock.now()),
      idleMinutes: SESSION_IDLE / MINUTE,
      roleMeaning: role && ROLES[role],
    });
  };
}

function signOutEverywhere({ context, parts }: PageShell): RequestHandler {
  return async (req, res) => {
    const browsers = await endSessionsOf(context, signedInPerson(req).accountId);
    context.logger.info('somebody signed out everywhere', { browsers, requestId: requestIdOf(res) });
    parts.signedOut.give(res, context.clock.now());
    res.redirect(303, `${PAGE}/signed-out`);
  };
}

/** The page after the sign-out. A browser that is signed in again is sent back to the account page. */
function showSignedOut(frame: PageShell): RequestHandler {
  return (req, res) => {
    if (personOf(req)) return res.redirect(303, PAGE);
    const there = signOutThere(frame.context);
    const title = 'You are signed out everywhere';
    frame.page(res, 'account-signed-out', { title, there, host: new URL(there).host });
  };
}

/** Adds /apps/account, the sign-out everywhere, and the switch to the account of a sign-in. */
export function accountRoutes(router: Router, frame: PageShell): void {
  router.get(PAGE, frame.requirePerson, showAccount(frame));
  const { path, handler } = switchRoute(frame.parts);
  router.post(path, handler);
  router.post(`${PAGE}/sign-out-everywhere`, signOutEverywhere(frame));
  router.get(`${PAGE}/signed-out`, showSignedOut(frame));
}
