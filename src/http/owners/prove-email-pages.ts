import type { Request, RequestHandler, Response, Router } from 'express';
import { mailEmailProof, openEmailProof, type ProofProblem, proveEmail } from '../../domain/prove-email.ts';
import { reauthorizationLink } from '../../domain/reauthorize.ts';
import { tokensOfPair } from '../../domain/tokens-of-account.ts';
import { PageError } from '../page-error.ts';
import { requestIdOf } from '../request-id.ts';
import { personOf } from '../signin/session.ts';
import { type Frame, personIn } from '../people/frame.ts';
import { leaveWith } from '../people/told-once.ts';

/**
 * POST /apps/prove-email mails a link to the person's own address; /apps/prove-email/:value is that link. Opening it
 * changes nothing. Its value is a secret and stands nowhere but in the mail: a signed-out person signs in first and opens
 * the mail's link again, because the address to come back to would be kept. The links of a reminder also say what they
 * were pressed for (`?connect=`, `?revoke=`, `?app=` and a client id), and lead on to that.
 */

const ASK_AGAIN = 'Go to your apps and ask for a new link there.';

const PROBLEMS: Record<ProofProblem, { reason: string; next: string }> = {
  unknown: { reason: 'It is incomplete, or it is too old.', next: ASK_AGAIN },
  expired: { reason: 'It is older than 24 hours.', next: ASK_AGAIN },
  over: {
    reason: 'The link of a reminder works for 30 days, and this time is over.',
    next: 'Sign in with the account that has the e-mail address, go to your apps and ask for a new link there.',
  },
  used: {
    reason: 'It was used already. What waited under your e-mail address is yours.',
    next: 'Go to your apps to see it.',
  },
  'another account': {
    reason: 'It was asked for by another account than the one that you are signed in with here.',
    next: 'Sign out, sign in with the account that asked for it, and open the link again.',
  },
  'another address': {
    reason:
      'It was mailed to another e-mail address than that of the account that you are signed in with here.',
    next: 'Sign out, sign in with the account that has the address, and open the link again.',
  },
};

const CLIENT_ID = /^[0-9a-f]{24}$/;

const valueOf = (req: Request) => String(req.params['value']);

function unusable(problem: ProofProblem): PageError {
  return new PageError(problem === 'unknown' ? 404 : 403, 'This link cannot be used', PROBLEMS[problem]);
}

function mailProof({ context }: Frame): RequestHandler {
  return async (req, res) => {
    const isSent = await mailEmailProof(context, personIn(req)).catch((error: unknown) => {
      context.logger.error('a mail to prove an address was not sent', { requestId: requestIdOf(res), error });
      throw new PageError(503, 'The mail could not be sent', {
        reason: 'The mail server did not take it. Nothing was changed.',
        next: 'Try again in some minutes.',
      });
    });
    if (isSent) return leaveWith(context, res, { href: '/apps', notice: 'mail-sent' });
    throw new PageError(429, 'Too many mails', {
      reason: 'Several mails were sent to your address within the last hour.',
      next: 'Look into your mailbox, also among the unwanted mails, or try again in an hour.',
    });
  };
}

/** The app in the query of a reminder's link. */
function appIn(value: unknown): string | undefined {
  return typeof value === 'string' && CLIENT_ID.test(value) ? value : undefined;
}

/** The page on which the tokens of an app are connected, if some wait; else that of the app. */
async function connectPage(
  { context }: Frame,
  pair: { clientId: string; accountId: string },
): Promise<string> {
  const tokens = await tokensOfPair(context, pair);
  if (!tokens || tokens.waiting === 0) return `/apps/${pair.clientId}`;
  return new URL(await reauthorizationLink(context, pair)).pathname;
}

/** Where a reminder's button leads to; undefined for a link that somebody asked for. */
async function aimOf(frame: Frame, req: Request): Promise<string | undefined> {
  const [connect, revoke, app] = ['connect', 'revoke', 'app'].map((name) => appIn(req.query[name]));
  const { accountId } = personIn(req);
  if (connect !== undefined) return connectPage(frame, { clientId: connect, accountId });
  if (revoke !== undefined) return `/apps/${revoke}/revoke`;
  return app === undefined ? undefined : `/apps/${app}`;
}

/** There, or to what is the person's now. */
async function leadOn(frame: Frame, req: Request, res: Response): Promise<void> {
  const aim = await aimOf(frame, req);
  if (aim !== undefined) return res.redirect(303, aim);
  leaveWith(frame.context, res, { href: '/apps', notice: 'proven' });
}

function showProof(frame: Frame): RequestHandler {
  return async (req, res) => {
    const person = personOf(req);
    const title = 'Is this e-mail address yours?';
    if (!person) return frame.page(res, 'prove-signed-out', { title: 'Sign in first' });
    const proof = await openEmailProof(frame.context, valueOf(req), person);
    // One mail has a button for each app, and the first that was pressed has proven the address.
    if (proof === 'used' && Object.keys(req.query).length > 0) return leadOn(frame, req, res);
    if (typeof proof === 'string') throw unusable(proof);
    frame.page(res, 'prove', { title, email: proof.email });
  };
}

function takeProof(frame: Frame): RequestHandler {
  return async (req, res) => {
    const by = { person: personIn(req), requestId: requestIdOf(res) };
    const pinned = await proveEmail(frame.context, valueOf(req), by);
    if (typeof pinned === 'string') throw unusable(pinned);
    await leadOn(frame, req, res);
  };
}

/** Mounts them. */
export function proveEmailRoutes(router: Router, frame: Frame): void {
  router.post('/apps/prove-email', mailProof(frame));
  router.get('/apps/prove-email/:value', showProof(frame));
  router.post('/apps/prove-email/:value', takeProof(frame));
}
