import type { RequestHandler } from 'express';
import { sendPage } from '../../pages/page-headers.ts';
import { companyStaffOf } from '../session.ts';
import type { CompanyPages } from './company-failure.ts';
import { COMPANY_SIGN_IN } from './company-paths.ts';

/**
 * GET /sign-in/company/signed-out: the page after a sign-out of staff. The session at the company goes on. A browser in which
 * somebody is signed in again is led on.
 */
export function showCompanySignedOut({ context, pages }: CompanyPages): RequestHandler {
  const host = new URL(context.settings.company?.issuer ?? context.settings.publicUrl).host;
  return (req, res) => {
    if (companyStaffOf(req)) return res.redirect(303, '/support');
    const shown = { title: 'You are signed out', host, again: COMPANY_SIGN_IN };
    sendPage(res, pages.render('company-signed-out', shown));
  };
}
