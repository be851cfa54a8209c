import type { Router } from 'express';
import { brake } from '../../pages/brake.ts';
import type { SigninPagesDeps } from '../parts.ts';
import { createSignInCookies } from '../sign-in-cookie.ts';
import { COMPANY_RETURN, COMPANY_SIGN_IN, COMPANY_SIGNED_OUT } from './company-paths.ts';
import { companyReturn } from './company-return.ts';
import { showCompanySignedOut } from './company-signed-out.ts';
import { startCompany } from './company-start.ts';

const SIGN_INS = { what: 'company sign-ins', perMinute: 600 };

/** The sign-in of staff at the identity provider of the operator. Without one the addresses do not exist. */
export function companyRoutes(router: Router, parts: SigninPagesDeps): void {
  const { context } = parts;
  if (!context.company) return;
  const companySignIns = createSignInCookies(context.settings.publicUrl, 'company_sign_in');
  const pages = { ...parts, companySignIns };
  router.get(COMPANY_SIGN_IN, brake(context, SIGN_INS), startCompany(pages));
  router.get(COMPANY_RETURN, companyReturn(pages));
  router.get(COMPANY_SIGNED_OUT, parts.sessions, showCompanySignedOut(pages));
}
