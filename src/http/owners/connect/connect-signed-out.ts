import cookieParser from 'cookie-parser';
import type { RequestHandler, Response, Router } from 'express';
import { waitsUnlisted } from '../../../domain/tokens/listable-tokens.ts';
import { noteSentToSignIn } from '../../answer-outcome.ts';
import { brake, countPageRequest } from '../../pages/brake.ts';
import { readForm, requireOwnForm } from '../../pages/forms.ts';
import { leaveToReauthorize, refuseOnCopy } from '../../signin/leave.ts';
import { linkPath, requireLinkForm } from '../../signin/link-form.ts';
import { keepingAnother, wantsAnother } from '../../signin/return/wants-another.ts';
import { personOf, signOut } from '../../signin/session.ts';
import type { PageShell } from '../../site/page-shell.ts';
import { hasEnded, linkedApp, linkIdIn } from './linked-app.ts';

/**
 * From a mailed link to connected by one consent, for a person who is not signed in, or is signed in with another
 * account. The consent proves the account and connects the app at once (docs/decisions/0031). Its account is compared
 * with the account of the link after the consent, before anything is stored and before a session begins.
 */

/** Forms that anybody may send, with nothing that proves where they come from. */
const FORMS = { what: 'forms of links', perMinute: 600 };

/**
 * Each consent that begins is kept durably, as the decision of an approval is. Only a form of a link counts, in the
 * browser that opened it: else strangers at the same address would use the limit up (docs/threats.md F203).
 */
const CONSENTS = { what: 'consents from links', perMinute: 150 };

type Exchange = Parameters<RequestHandler>;

/** Where no token waits for a consent, a sign-in is enough: it asks for less. The page of the link then says why. */
function leaveToSignIn(res: Response, link: string, isOther: boolean): void {
  const other = isOther ? '&account=another' : '';
  noteSentToSignIn(res);
  res.redirect(303, `/sign-in?return_to=${encodeURIComponent(link)}${other}`);
}

async function leaveFromLink(frame: PageShell, isOther: boolean, exchange: Exchange): Promise<void> {
  const { context, parts } = frame;
  const [req, res] = exchange;
  const { clientId, accountId, linkId } = await linkedApp(context, req);
  const signsInFrom = linkPath(linkId);
  if (hasEnded(context, clientId)) return res.redirect(303, signsInFrom);
  if (!(await waitsUnlisted(context, { clientId, accountId })))
    return leaveToSignIn(res, signsInFrom, isOther);
  await countPageRequest(context, CONSENTS, req);
  const mustAsk = isOther || parts.signedOut.isIn(req);
  await leaveToReauthorize(parts, { clientId, accountId, signsInFrom, isOther: mustAsk }, exchange);
}

/** The form of the link where nobody is signed in. Who has signed in since sees the page for signed-in people. */
function connectSignedOut(frame: PageShell): RequestHandler {
  return async (req, res, next) => {
    const id = linkIdIn(req);
    if (personOf(req)) return res.redirect(303, keepingAnother(linkPath(id), req.body));
    requireLinkForm(frame.parts, req, id);
    await leaveFromLink(frame, wantsAnother(req), [req, res, next]);
  };
}

/** One click for a person who is signed in with another account: out here, and in with the account of the link. */
function switchAccount(frame: PageShell): RequestHandler {
  return async (req, res, next) => {
    const { accountId, linkId } = await linkedApp(frame.context, req);
    if (personOf(req)?.accountId === accountId) return res.redirect(303, linkPath(linkId));
    await signOut(req);
    frame.parts.signedOut.give(res, frame.context.clock.now());
    await leaveFromLink(frame, true, [req, res, next]);
  };
}

/** Adds the forms of the link for people who are not signed in with its account. */
export function signedOutLinkRoutes(router: Router, frame: PageShell): void {
  const { context, parts } = frame;
  router.post(
    '/connect/:id',
    requireOwnForm(context.settings.publicUrl),
    refuseOnCopy(context),
    brake(context, FORMS),
    cookieParser(),
    readForm,
    parts.sessions,
    connectSignedOut(frame),
  );
  router.post('/apps/connect/:id/switch', refuseOnCopy(context), switchAccount(frame));
}
