import type { Request, RequestHandler, Response, Router } from 'express';
import { HEX_ID } from '../../../shared/ids.ts';
import {
  mailEmailProof,
  openEmailProof,
  type ProofProblem,
  proveEmail,
} from '../../../domain/accounts/prove-email.ts';
import { stillHasAddress } from '../../../domain/accounts/current-address.ts';
import { findRegisteredApp } from '../../../domain/apps/register-app.ts';
import { reauthorizationLink } from '../../../domain/authorization/reauthorize.ts';
import { tokensOfPair } from '../../../domain/tokens/tokens-of-account.ts';
import { MailError } from '../../../shared/mail/mail-error.ts';
import { PageError } from '../../pages/page-error.ts';
import { requestIdOf } from '../../request-id.ts';
import { personOf } from '../../signin/session.ts';
import { fieldsOf, type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { leaveWith } from '../../pages/flash-notice.ts';

/**
 * POST /apps/prove-email mails a link to the person's own address; /apps/prove-email/:value is this link. Opening the
 * link changes nothing. The value is a secret and is in the mail alone: a signed-out person signs in first and opens
 * the link of the mail again, because the sign-in would store the address to return to. The links of a reminder also
 * carry their purpose (`?connect=`, `?revoke=`, `?app=` and a client id) and lead on to it. A link that is too old to
 * prove anything still leads on where the app already belongs to the person; else the page offers a form for a new
 * link.
 */

type Refusal = Exclude<ProofProblem, 'unknown' | 'expired'>;

const REFUSALS: Record<Refusal, { reason: string; next: string }> = {
  used: {
    reason: 'It was used already, and works once.',
    next: 'Go to your apps to see what is yours.',
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

/** The text for a link that a new link can replace. */
const TOO_OLD = {
  unknown: {
    status: 404,
    reason: 'It is incomplete, or it is too old to show that an e-mail address is yours.',
  },
  expired: {
    status: 403,
    reason: 'It is older than 24 hours, too old to show that the e-mail address is yours.',
  },
} as const;

const UNUSABLE = 'This link cannot be used';

const valueOf = (req: Request) => String(req.params['value']);

const isReplaceable = (problem: ProofProblem): problem is keyof typeof TOO_OLD => problem in TOO_OLD;

/** The purposes of a link. */
const AIMS = ['connect', 'revoke', 'app'] as const;

interface LinkPurpose {
  name: (typeof AIMS)[number];
  clientId: string;
}

/** The first purpose that names an app; undefined for a link that the person requested on the page of apps. */
function aimIn(fields: Readonly<Record<string, unknown>>): LinkPurpose | undefined {
  return AIMS.flatMap((name): LinkPurpose[] => {
    const clientId = fields[name];
    return typeof clientId === 'string' && HEX_ID.test(clientId) ? [{ name, clientId }] : [];
  })[0];
}

const queryOf = (aim: LinkPurpose | undefined) => (aim ? `?${aim.name}=${aim.clientId}` : '');

const isInDoubt = (error: unknown) => error instanceof MailError && error.isInDoubt;

/** The mailbox takes no mail, which is no failure of this site: only the person can mend it. */
const isRefused = (error: unknown) => error instanceof MailError && error.isRefused;

/** The answer where it is not sure that the mail went. */
function notMailed(error: unknown): PageError {
  if (isInDoubt(error))
    return new PageError(503, 'The mail may be on its way', {
      reason: 'The mail server took it and gave no answer, so nobody knows whether it arrives.',
      next: 'Look into your mailbox, also among the unwanted mails. If nothing is there in some minutes, ask again.',
    });
  if (isRefused(error))
    return new PageError(422, 'Your e-mail address takes no mail', {
      reason:
        'The mail server said that there is no such mailbox, or that it takes no mail. Nothing was changed.',
      next: 'Look at the e-mail address of your account at the new API. If it is wrong, correct it there and sign in here again; then ask once more.',
    });
  return new PageError(503, 'The mail could not be sent', {
    reason: 'The mail server did not take it. Nothing was changed.',
    next: 'Try again in some minutes.',
  });
}

/** Tells of a mail that may not have gone. Anybody can cause the line of a mailbox that takes none, as often as they press. */
function tellUnsent({ context }: PageShell, details: { requestId: string; error: unknown }): void {
  const { logger } = context;
  if (isInDoubt(details.error)) logger.warn('a mail to prove an address may not have been sent', details);
  else if (isRefused(details.error)) logger.info('a mailbox refused the mail to prove an address', details);
  else logger.error('a mail to prove an address was not sent', details);
}

/** The answer to a session that is older than the address. No mail goes to an address that is not the account's. */
const anotherAddress = () =>
  new PageError(403, 'Your account has another e-mail address now', {
    reason: 'You signed in here before it was changed. Nothing was sent.',
    next: 'Sign out, sign in again, and ask for the link once more.',
  });

function mailProof(frame: PageShell): RequestHandler {
  const { context } = frame;
  return async (req, res) => {
    const [person, query] = [signedInPerson(req), queryOf(aimIn(fieldsOf(req)))];
    if (!(await stillHasAddress(context, person))) throw anotherAddress();
    const isSent = await mailEmailProof(context, person, query).catch((error: unknown) => {
      tellUnsent(frame, { requestId: requestIdOf(res), error });
      throw notMailed(error);
    });
    if (isSent) return leaveWith(context, res, { href: '/apps', notice: 'mail-sent' });
    throw new PageError(429, 'Too many mails', {
      reason: 'Several mails were sent to your address within the last hour.',
      next: 'Look into your mailbox, also among the unwanted mails, or try again in an hour.',
    });
  };
}

/** The page for connecting the tokens of an app where some tokens wait, else the page of the app. */
async function connectPage(
  { context }: PageShell,
  pair: { clientId: string; accountId: string },
): Promise<string> {
  const tokens = await tokensOfPair(context, pair);
  if (!tokens || tokens.waiting === 0) return `/apps/${pair.clientId}`;
  return new URL(await reauthorizationLink(context, pair)).pathname;
}

/** The target of a button in a mail. */
async function addressOf(
  frame: PageShell,
  { name, clientId }: LinkPurpose,
  accountId: string,
): Promise<string> {
  if (name === 'connect') return connectPage(frame, { clientId, accountId });
  return name === 'revoke' ? `/apps/${clientId}/revoke` : `/apps/${clientId}`;
}

/** Leads on to the purpose of the link. Without a purpose, leads to the person's apps. */
async function leadOn(frame: PageShell, req: Request, res: Response): Promise<void> {
  const aim = aimIn(req.query);
  if (aim) return res.redirect(303, await addressOf(frame, aim, signedInPerson(req).accountId));
  leaveWith(frame.context, res, { href: '/apps', notice: 'proven' });
}

/** Whether the app of a link already has tokens of the person, or is the person's. Then no address needs a proof. */
async function isTheirs(
  { context }: PageShell,
  aim: LinkPurpose | undefined,
  accountId: string,
): Promise<boolean> {
  if (!aim) return false;
  const { clientId } = aim;
  if (aim.name !== 'app') return (await tokensOfPair(context, { clientId, accountId })) !== undefined;
  return (await findRegisteredApp(context, clientId))?.owner_account_id === accountId;
}

/** Handles a link that proves nothing: leads on, offers a new link, or says why the link is refused. */
async function showUnusable(frame: PageShell, res: Response, problem: ProofProblem): Promise<void> {
  const { req } = res;
  const [aim, { accountId, email }] = [aimIn(req.query), signedInPerson(req)];
  // One mail has a button for each app. The first button that was pressed has already proven the address.
  if (problem === 'used' && aim) return leadOn(frame, req, res);
  if (!isReplaceable(problem)) throw new PageError(403, UNUSABLE, REFUSALS[problem]);
  if (await isTheirs(frame, aim, accountId)) return leadOn(frame, req, res);
  const { status, reason } = TOO_OLD[problem];
  frame.page(res.status(status), 'prove-again', { title: UNUSABLE, reason, email, aim });
}

function showProof(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const person = personOf(req);
    const title = 'Is this e-mail address yours?';
    if (!person) return frame.page(res, 'prove-signed-out', { title: 'Sign in first' });
    const proof = await openEmailProof(frame.context, valueOf(req), person);
    if (typeof proof === 'string') return showUnusable(frame, res, proof);
    frame.page(res, 'prove', { title, email: proof.email });
  };
}

function takeProof(frame: PageShell): RequestHandler {
  return async (req, res) => {
    const by = { person: signedInPerson(req), requestId: requestIdOf(res) };
    const pinned = await proveEmail(frame.context, valueOf(req), by);
    if (typeof pinned === 'string') return showUnusable(frame, res, pinned);
    await leadOn(frame, req, res);
  };
}

/** Adds the pages that prove an address. */
export function proveEmailRoutes(router: Router, frame: PageShell): void {
  router.post('/apps/prove-email', mailProof(frame));
  router.get('/apps/prove-email/:value', showProof(frame));
  router.post('/apps/prove-email/:value', takeProof(frame));
}
