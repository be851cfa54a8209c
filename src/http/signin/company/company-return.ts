import type { Request, RequestHandler, Response } from 'express';
import { companyActor, type CompanyPerson } from '../../../domain/accounts/company-staff.ts';
import { endSessionsOf } from '../../../domain/accounts/sessions.ts';
import {
  claimCompanySignIn,
  completeCompanySignIn,
  keepArrival,
  openCompanySignIn,
  type ReturnedCompanySignIn,
  SignInRefused,
} from '../../../domain/authorization/company-sign-in.ts';
import { signInId } from '../../../domain/authorization/sign-in-request.ts';
import { queryParameters } from '../../wire/request-parameters.ts';
import { PageError } from '../../pages/page-error.ts';
import { countPageRequest, createFailureBrake, type FailureBrake } from '../../pages/brake.ts';
import { sendPage } from '../../pages/page-headers.ts';
import { requestIdOf } from '../../request-id.ts';
import { endFormerRoles, loadSession, startSession } from '../session.ts';
import { askIfAnother } from '../sign-in-or-ask.ts';
import { type CompanyPages, showFailure, showSignedOutSince, waysIn } from './company-failure.ts';
import { companyReturnAddress, staffReturnPath } from './company-paths.ts';

/**
 * GET /sign-in/company/return: the return from the identity provider. The order is state (known, unused, this browser),
 * issuer, code, ID token. A stray writes nothing and asks nobody.
 */

const STRAYS = { what: 'stray returns of company sign-ins', perMinute: 300 };
const RETURNS = { what: 'company sign-ins that return', perMinute: 300 };

/** After this many refused codes within a minute, one code a second is exchanged for an address. */
const REFUSED_CODES = { what: 'refused codes of company sign-ins', perMinute: 30 };

const SINGLE = ['state', 'code', 'error', 'iss'];

/** The sign-in that this browser began; undefined for a stray. */
async function ownSignIn(parts: CompanyPages, req: Request): Promise<ReturnedCompanySignIn | undefined> {
  const query = queryParameters(req);
  const state = query.get('state');
  if (state === undefined || query.repeated(SINGLE).length > 0) return undefined;
  if (query.has('code') === query.has('error')) return undefined;
  const sealed = parts.companySignIns.read(req, signInId(state));
  return sealed === undefined ? undefined : openCompanySignIn(parts.context, state, sealed);
}

/** Staff of the company came from no app, and have no page of apps. */
const unknownSignIn = () =>
  new PageError(403, 'This sign-in cannot be finished', {
    reason:
      'It was not started in this browser, it was finished already, or it took longer than half an hour.',
    next: 'Open the pages of support, and sign in from there.',
    wayOn: { href: '/support', label: 'Support' },
  });

async function stray(parts: CompanyPages, req: Request): Promise<Error> {
  await countPageRequest(parts.context, STRAYS, req);
  return unknownSignIn();
}

/**
 * Claims a sign-in of this browser. Above the limit it is not claimed, so that it may come again.
 * @throws {PageError} 403 for one that came before, 429 above the limits
 */
async function claim(parts: CompanyPages, res: Response, signIn: ReturnedCompanySignIn): Promise<void> {
  const { req } = res;
  await countPageRequest(parts.context, RETURNS, req);
  parts.companySignIns.remove(res, signIn.id);
  if (!(await claimCompanySignIn(parts.context, signIn))) throw await stray(parts, req);
}

const queryOf = ({ originalUrl }: Request) => originalUrl.slice(originalUrl.indexOf('?'));

/**
 * Says that the company gives no role. The sessions that the person still has, in any browser, began with a role that the company
 * has taken away, so they end.
 */
async function refuseWithoutRole(
  parts: CompanyPages,
  res: Response,
  { person, returnTo, hasRoleClaim }: { person: CompanyPerson; returnTo: string; hasRoleClaim: boolean },
): Promise<void> {
  const { context } = parts;
  await endSessionsOf(context, companyActor(person));
  const facts = { requestId: requestIdOf(res), claim: context.settings.company?.roleClaim, hasRoleClaim };
  context.logger.warn('somebody without a role came by the company sign-in', facts);
  const shown = { title: 'You have no role here', name: person.name, ...waysIn(parts, returnTo) };
  sendPage(res.status(403), parts.pages.render('company-no-role', shown));
}

/**
 * Signs the person in, asks where somebody else is signed in here, or says that the company gives no role. What the company says
 * now counts for the sessions of the person in other browsers too, whatever becomes of this sign-in.
 */
async function signInStaff(parts: CompanyPages, res: Response, signIn: ReturnedCompanySignIn): Promise<void> {
  const { context } = parts;
  const redirectUri = companyReturnAddress(context.settings);
  const arrival = { signIn, redirectUri, query: queryOf(res.req) };
  const { person, role, hasRoleClaim } = await completeCompanySignIn(context, arrival);
  const returnTo = staffReturnPath(signIn.travelled.returnTo);
  if (role === undefined) return refuseWithoutRole(parts, res, { person, returnTo, hasRoleClaim });
  await endFormerRoles(context, person);
  const now = context.clock.now();
  if (parts.companySignedOut.isBetween(res.req, signIn.began, now))
    return showSignedOutSince(parts, res, returnTo);
  await loadSession(parts, res.req, res);
  if (await askIfAnother(parts, { req: res.req, res }, { staff: person, returnTo })) return;
  await keepArrival(context, person, { role, requestId: requestIdOf(res) });
  await startSession(res.req, { staff: person }, now);
  parts.companySignedOut.remove(res.req, res);
  res.redirect(303, returnTo);
}

interface Completion {
  signIn: ReturnedCompanySignIn;
  codes: FailureBrake;
}

async function finish(parts: CompanyPages, res: Response, { signIn, codes }: Completion): Promise<void> {
  await claim(parts, res, signIn);
  await signInStaff(parts, res, signIn).catch((error: unknown) => {
    if (error instanceof SignInRefused) codes.countFailure(res.req);
    showFailure(parts, res, { error, returnTo: staffReturnPath(signIn.travelled.returnTo) });
  });
}

/** The handler. */
export function companyReturn(parts: CompanyPages): RequestHandler {
  const codes = createFailureBrake(parts.context, REFUSED_CODES);
  return async (req, res) => {
    // Strays are refused before: a refusal that is held back is no code under way.
    const signIn = await ownSignIn(parts, req);
    if (!signIn) throw await stray(parts, req);
    await codes.run({ req, res }, () => finish(parts, res, { signIn, codes }));
  };
}
