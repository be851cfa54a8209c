import type { Request, RequestHandler, Response } from 'express';
import { companyActor, companyRole, hasLocalStaff } from '../../domain/accounts/company-staff.ts';
import { roleOf, type StaffRole } from '../../domain/accounts/staff.ts';
import { noteSentToSignIn } from '../answer-outcome.ts';
import { returnPath } from '../signin/return-path.ts';
import { companyStaffOf, isSignedIn, personOf } from '../signin/session.ts';
import type { SiteDeps } from './deps.ts';

/**
 * Who reads a page: an account holder, or a member of staff whom the company signed in (docs/decisions/0032). The two
 * are different parts of a session, so neither is ever taken for the other.
 */

/** The role of the signed-in person at this request. */
export function roleIn(res: Response): StaffRole | undefined {
  return res.locals['role'] as StaffRole | undefined;
}

/** Who is signed in, as the history names them, and the name under which their requests are counted. */
export function readerOf(req: Request): { actor: string; id: string } {
  const [person, staff] = [personOf(req), companyStaffOf(req)];
  if (staff) return { actor: companyActor(staff), id: companyActor(staff) };
  if (!person) throw new Error('nobody is signed in');
  return { actor: `account:${person.accountId}`, id: person.accountId };
}

async function presentRole(context: SiteDeps, req: Request): Promise<StaffRole | undefined> {
  const [person, staff] = [personOf(req), companyStaffOf(req)];
  if (staff) return companyRole(context.settings.company, staff);
  return person && hasLocalStaff(context.settings) ? roleOf(context, person.accountId) : undefined;
}

/** Looks up the person's role at each request, so that a removal from the staff takes effect at the next request. */
export function knowRole(context: SiteDeps): RequestHandler {
  return async (req, res, next) => {
    const role = await presentRole(context, req);
    if (role !== undefined) res.locals['role'] = role;
    next();
  };
}

const returnTo = (req: Request) => encodeURIComponent(returnPath(req.originalUrl));

/** The address of the sign-in, with the way back to this page. */
export function signInAddress(req: Request): string {
  return `/sign-in?return_to=${returnTo(req)}`;
}

function leaveTo(res: Response, address: string): void {
  noteSentToSignIn(res);
  res.redirect(303, address);
}

/** Sends somebody who is not signed in to the sign-in. */
export const sendToSignIn = (res: Response): void => leaveTo(res, signInAddress(res.req));

/** Sends somebody without a role to the sign-in of staff. */
export function sendToStaffSignIn({ settings }: SiteDeps, res: Response): void {
  const ofCompany = `/sign-in/company?return_to=${returnTo(res.req)}`;
  leaveTo(res, settings.company ? ofCompany : signInAddress(res.req));
}

/** Where somebody goes on whose session ended under a form of this page. Below /support that is the sign-in of staff. */
export function signInsAgain({ settings }: SiteDeps, page: string) {
  const ofStaff = settings.company && `/sign-in/company?return_to=${encodeURIComponent(returnPath(page))}`;
  const isOfStaff = /^\/support(?![^/?])/.test(page);
  return {
    signIn: (isOfStaff && ofStaff) || '/sign-in',
    staffSignIn: settings.company && '/sign-in/company',
  };
}

/**
 * Whether a person without a role is led to the sign-in of staff: nobody is signed in, or only an account holder, who may
 * be staff of the company too.
 */
export function mustSignInAsStaff({ settings }: SiteDeps, req: Request): boolean {
  return !isSignedIn(req) || (settings.company !== undefined && companyStaffOf(req) === undefined);
}
