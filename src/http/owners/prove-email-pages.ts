import type { Request, RequestHandler, Router } from 'express';
import { mailEmailProof, openEmailProof, type ProofProblem, proveEmail } from '../../domain/prove-email.ts';
import { PageError } from '../page-error.ts';
import { requestIdOf } from '../request-id.ts';
import { personOf } from '../signin/session.ts';
import { type Frame, personIn } from './frame.ts';

/**
 * POST /apps/prove-email mails a link to the person's own address; /apps/prove-email/:value is that link. Opening it
 * changes nothing. Its value is a secret and stands nowhere but in the mail: a signed-out person signs in first and opens
 * the mail's link again, because the address to come back to would be kept.
 */

const ASK_AGAIN = 'Go to your apps and ask for a new link there.';

const PROBLEMS: Record<ProofProblem, { reason: string; next: string }> = {
  unknown: { reason: 'It is incomplete, or it is too old.', next: ASK_AGAIN },
  expired: { reason: 'It is older than 24 hours.', next: ASK_AGAIN },
  used: {
    reason: 'It was used already. What waited under your e-mail address is yours.',
    next: 'Go to your apps to see it.',
  },
  'another account': {
    reason: 'It was asked for by another account than the one that you are signed in with here.',
    next: 'Sign out, sign in with the account that asked for it, and open the link again.',
  },
};

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
    if (isSent) return res.redirect(303, '/apps?done=mail-sent');
    throw new PageError(429, 'Too many mails', {
      reason: 'Several mails were sent to your address within the last hour.',
      next: 'Look into your mailbox, also among the unwanted mails, or try again in an hour.',
    });
  };
}

function showProof(frame: Frame): RequestHandler {
  return async (req, res) => {
    const person = personOf(req);
    const title = 'Is this e-mail address yours?';
    if (!person) return frame.page(res, 'prove-signed-out', { title: 'Sign in first' });
    const proof = await openEmailProof(frame.context, valueOf(req), person);
    if (typeof proof === 'string') throw unusable(proof);
    frame.page(res, 'prove', { title, email: proof.email });
  };
}

function takeProof({ context }: Frame): RequestHandler {
  return async (req, res) => {
    const by = { person: personIn(req), requestId: requestIdOf(res) };
    const pinned = await proveEmail(context, valueOf(req), by);
    if (typeof pinned === 'string') throw unusable(pinned);
    res.redirect(303, '/apps?done=proven');
  };
}

/** Mounts them. */
export function proveEmailRoutes(router: Router, frame: Frame): void {
  router.post('/apps/prove-email', mailProof(frame));
  router.get('/apps/prove-email/:value', showProof(frame));
  router.post('/apps/prove-email/:value', takeProof(frame));
}
