import type { Request, RequestHandler } from 'express';
import { newOpaqueValue } from '../../shared/ids.ts';
import { AUTHORIZATION_REQUEST_LIFETIME } from '../../shared/lifetimes.ts';
import { companyActor, type CompanyPerson, companyRole } from '../../domain/accounts/company-staff.ts';
import { addSession, endSession } from '../../domain/accounts/sessions.ts';
import { keepArrival } from '../../domain/authorization/company-sign-in.ts';
import { requestIdOf } from '../request-id.ts';
import { sha256Of } from '../../shared/secrets.ts';
import type { HttpExchange } from '../pages/brake.ts';
import { sendPage } from '../pages/page-headers.ts';
import { formToken } from './browser-cookie.ts';
import type { SigninPagesDeps } from './parts.ts';
import { returnPath } from './return-path.ts';
import {
  companyStaffOf,
  isSignedIn,
  loadSession,
  personOf,
  type SignedInPerson,
  startSession,
  type WhoSignsIn,
} from './session.ts';
import { signInHere } from './sign-in-here.ts';

/**
 * The ending of a sign-in where somebody else may be signed in in this browser. Any site can begin a sign-in, and it may
 * need no page at the new API. So only a form of the bridge changes who is signed in (docs/threats.md F201).
 */

type EndedSignIn = WhoSignsIn & { returnTo: string };

/** The way to begin a sign-in anew. */
export const signInAgain = (returnTo: string) => `/sign-in?return_to=${encodeURIComponent(returnTo)}`;

declare module 'express-session' {
  interface SessionData {
    /** Who came back from a sign-in while somebody else was signed in, until the person of the browser has decided. */
    switchTo: EndedSignIn & { until: number; proof: string };
  }
}

/**
 * The value is on the page alone. Somebody who planted the session in this browser holds its cookie too, and must not get
 * the account of the sign-in.
 */
const proofOf = (value: string) => sha256Of(value).toString('hex');

/** The address of the form. */
const SWITCH = '/apps/account/switch';

const nameOf = (who: WhoSignsIn) => ('staff' in who ? who.staff.email || who.staff.name : who.person.email);

/** Whether somebody else than `who` is signed in in this browser. */
function isAnotherHere(req: Request, who: WhoSignsIn): boolean {
  if (!isSignedIn(req)) return false;
  const staff = companyStaffOf(req);
  if ('person' in who) return personOf(req)?.accountId !== who.person.accountId;
  return staff === undefined || companyActor(staff) !== companyActor(who.staff);
}

/**
 * A question that waits with a role of the company stands among the sessions of its person: what ends those ends the question
 * too. Nobody is signed in by it: no cookie has its value.
 */
async function keepQuestion({ context }: SigninPagesDeps, value: string, staff: CompanyPerson) {
  const content = JSON.stringify({ switchTo: { staff } });
  const start = { signedInAt: context.clock.now(), lifetime: AUTHORIZATION_REQUEST_LIFETIME };
  await addSession(context, value, { ...start, content, accountId: companyActor(staff) });
}

/**
 * Asks, where somebody else is signed in in this browser; then it returns true, and nothing is changed before the answer. The
 * session is loaded.
 */
export async function askIfAnother(
  parts: SigninPagesDeps,
  { req, res }: HttpExchange,
  ended: EndedSignIn,
): Promise<boolean> {
  if (!isAnotherHere(req, ended)) return false;
  const { clock, vault } = parts.context;
  const value = newOpaqueValue();
  const until = clock.now() + AUTHORIZATION_REQUEST_LIFETIME;
  if ('staff' in ended) await keepQuestion(parts, value, ended.staff);
  req.session.switchTo = { ...ended, until, proof: proofOf(value) };
  const [person, staff] = [personOf(req), companyStaffOf(req)];
  const page = parts.pages.render('sign-in-as-another', {
    title: 'Sign in with another account?',
    now: person?.email ?? (staff?.email || staff?.name),
    by: 'staff' in ended ? 'The sign-in of the company' : 'The account page',
    other: nameOf(ended),
    home: staff ? '/support' : '/apps',
    action: SWITCH,
    switchToken: value,
    formToken: formToken(vault.session(), req.sessionID),
  });
  sendPage(res, page, {});
  return true;
}

/** Signs the person of a claimed return in. Where somebody else is signed in here, a page asks first. */
export async function signInOrAsk(
  parts: SigninPagesDeps,
  exchange: HttpExchange,
  { began, ...ended }: { person: SignedInPerson; returnTo: string; began: number },
): Promise<void> {
  const { req, res } = exchange;
  await loadSession(parts, req, res);
  // A sign-in that began before a sign-out is no choice for whoever is signed in since.
  const isOver = parts.signedOut.isBetween(req, began, parts.context.clock.now());
  if (!isOver && (await askIfAnother(parts, exchange, ended))) return;
  if (await signInHere(parts, exchange, { person: ended.person, began }))
    return res.redirect(303, ended.returnTo);
  const shown = { title: 'You are not signed in', why: 'signed out', again: signInAgain(ended.returnTo) };
  sendPage(res, parts.pages.render('not-signed-in', shown));
}

/**
 * The role of somebody of the company now, and the end of their question. Undefined where the settings give none any more, where
 * it would be over, and where a later sign-in said that the company has taken it away.
 */
async function claimRole(
  { context }: SigninPagesDeps,
  value: string,
  { staff, signedInAt }: { staff: CompanyPerson; signedInAt: number },
) {
  const { company } = context.settings;
  if (!(await endSession(context, value))) return undefined;
  const isOver = company !== undefined && signedInAt + company.sessionLifetime <= context.clock.now();
  return isOver ? undefined : companyRole(company, staff);
}

/**
 * Takes the yes. Without a question that waits in this session nothing changes. The sign-in was when the question was asked:
 * an answer that comes late makes no session longer.
 */
function switchAccount(parts: SigninPagesDeps): RequestHandler {
  const { context } = parts;
  return async (req, res) => {
    const { switchTo } = req.session;
    const { switch_token: value } = (req.body ?? {}) as Record<string, unknown>;
    const isProven = typeof value === 'string' && proofOf(value) === switchTo?.proof;
    if (!isProven || switchTo.until <= context.clock.now()) return res.redirect(303, '/apps/account');
    const signedInAt = switchTo.until - AUTHORIZATION_REQUEST_LIFETIME;
    if ('staff' in switchTo) {
      const role = await claimRole(parts, value, { staff: switchTo.staff, signedInAt });
      if (role === undefined) return res.redirect(303, '/apps/account');
      await keepArrival(context, switchTo.staff, { role, requestId: requestIdOf(res) });
      await startSession(req, { staff: switchTo.staff }, signedInAt);
      parts.companySignedOut.remove(req, res);
    } else {
      await startSession(req, { person: switchTo.person }, signedInAt);
      parts.signedOut.remove(req, res);
    }
    res.redirect(303, returnPath(switchTo.returnTo));
  };
}

/** The form of the question, for the router of the pages for signed-in people. */
export const switchRoute = (parts: SigninPagesDeps) => ({ path: SWITCH, handler: switchAccount(parts) });
