import type { Request, RequestHandler, Response } from 'express';
import { startCompanySignIn } from '../../../domain/authorization/company-sign-in.ts';
import { companyReturnAddress, staffReturnPath } from './company-paths.ts';
import { type CompanyPages, showFailure } from './company-failure.ts';

/** GET /sign-in/company: sends the browser to the identity provider of the operator. It changes nothing. */

interface WantedSignIn {
  returnTo: string;
  /** Whether the person wants to be somebody else than the one who is signed in at the provider. */
  isOther: boolean;
}

/** After a sign-out in this browser the company asks who is there, too (docs/threats.md F202). */
const wantedBy = ({ companySignedOut }: CompanyPages, req: Request): WantedSignIn => ({
  returnTo: staffReturnPath(req.query['return_to']),
  isOther: req.query['other'] === 'yes' || companySignedOut.isIn(req),
});

async function leave(parts: CompanyPages, res: Response, wanted: WantedSignIn): Promise<void> {
  const { context } = parts;
  const redirectUri = companyReturnAddress(context.settings);
  const { address, ...kept } = await startCompanySignIn(context, { ...wanted, redirectUri });
  parts.companySignIns.give(res.req, res, kept);
  res.redirect(302, address);
}

/** The handler. */
export function startCompany(parts: CompanyPages): RequestHandler {
  return async (req, res) => {
    const wanted = wantedBy(parts, req);
    await leave(parts, res, wanted).catch((error: unknown) =>
      showFailure(parts, res, { error, returnTo: wanted.returnTo }),
    );
  };
}
