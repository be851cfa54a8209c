import type { RequestHandler, Router } from 'express';
import { companyStaffOf, personOf, signOut } from '../../signin/session.ts';
import { COMPANY_SIGNED_OUT } from '../../signin/company/company-paths.ts';
import type { PageShell } from '../../site/page-shell.ts';

/**
 * The sign-out, and what it leaves. The new API has a session of its own, with which the next sign-in here may take one
 * click. The person is told, and led to the place where that session ends.
 */

const PAGE = '/sign-out';

/**
 * Where a person signs out at the new API: the page for it (OpenID Connect RP-Initiated Logout 1.0), if the new API has
 * one, else the account settings. Anybody may open the pages that lead there, so they ask the new API nothing: each
 * sign-in makes its metadata known.
 */
export function signOutThere({ server, settings }: PageShell['context']): string {
  const metadata = server.knownMetadata();
  if (metadata?.endSessionEndpoint === undefined) return settings.modernSettingsUrl;
  const address = new URL(metadata.endSessionEndpoint);
  address.searchParams.set('client_id', server.clientId);
  return address.href;
}

/** A browser that is signed in, or is again, is led on. */
function showSignedOut(frame: PageShell): RequestHandler {
  return (req, res) => {
    if (personOf(req)) return res.redirect(303, '/apps/account');
    const there = signOutThere(frame.context);
    frame.page(res, 'signed-out', { title: 'You are signed out', there, host: new URL(there).host });
  };
}

/** Adds the sign-out and the page after it. */
export function signOutRoutes(router: Router, frame: PageShell): void {
  router.get(PAGE, showSignedOut(frame));
  router.post(PAGE, async (req, res) => {
    const { companySignedOut, signedOut } = frame.parts;
    const isStaff = companyStaffOf(req) !== undefined;
    await signOut(req);
    const mark = isStaff ? companySignedOut : signedOut;
    mark.give(res, frame.context.clock.now());
    res.redirect(303, isStaff ? COMPANY_SIGNED_OUT : PAGE);
  });
}
