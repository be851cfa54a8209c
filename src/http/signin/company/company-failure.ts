import type { Response } from 'express';
import { SignInRefused } from '../../../domain/authorization/company-sign-in.ts';
import { Unavailable } from '../../../domain/failures.ts';
import { kindOf } from '../../../shared/log/refusal-log.ts';
import { sendPage } from '../../pages/page-headers.ts';
import { idsOf } from '../../request-trace.ts';
import type { SigninPagesDeps } from '../parts.ts';
import type { SignInCookies } from '../sign-in-cookie.ts';
import { COMPANY_SIGN_IN } from './company-paths.ts';

/** A company sign-in that signs nobody in: the page, and the line in the log. */

export interface CompanyPages extends SigninPagesDeps {
  companySignIns: SignInCookies;
}

const NOT_SIGNED_IN = 'You are not signed in';

/** The way to begin again, and the other way in where the operator opened it. */
export function waysIn({ context }: CompanyPages, returnTo: string) {
  const to = `return_to=${encodeURIComponent(returnTo)}`;
  return {
    again: `${COMPANY_SIGN_IN}?${to}`,
    other: `${COMPANY_SIGN_IN}?${to}&other=yes`,
    local: context.settings.company?.alsoLocal ? `/sign-in?${to}` : undefined,
  };
}

const isDenied = (error: unknown) => error instanceof SignInRefused && error.code === 'access_denied';

/** Shows that nobody is signed in, because somebody signed out in this browser after the sign-in began. */
export function showSignedOutSince(parts: CompanyPages, res: Response, returnTo: string): void {
  const shown = { title: NOT_SIGNED_IN, why: 'signed out', ...waysIn(parts, returnTo) };
  sendPage(res, parts.pages.render('company-failed', shown));
}

/** Shows that nobody is signed in. An error that is no failure of the provider goes on to the error page. */
export function showFailure(
  parts: CompanyPages,
  res: Response,
  { error, returnTo }: { error: unknown; returnTo: string },
): void {
  const isAway = error instanceof Unavailable;
  if (!isAway && !(error instanceof SignInRefused)) throw error;
  const why = isDenied(error) ? 'denied' : isAway ? 'away' : 'refused';
  if (why !== 'denied')
    parts.noteFailure({
      level: 'error',
      message: 'a company sign-in could not be finished',
      address: res.req.ip ?? '',
      kind: kindOf(error),
      fields: { ...idsOf(res), error },
    });
  if (isAway) res.status(503);
  else if (why === 'refused') res.status(403);
  sendPage(
    res,
    parts.pages.render('company-failed', { title: NOT_SIGNED_IN, why, ...waysIn(parts, returnTo) }),
  );
}
