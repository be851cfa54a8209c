import type { RequestHandler, Router } from 'express';
import { companyStaffOf, personOf, signOut } from '../../signin/session.ts';
import type { PageShell } from '../../site/page-shell.ts';

/**
 * The sign-out, and what it leaves. The new API has a session of its own, with which the next sign-in here may take one
 * click. The person is told, and led to the place where that session ends.
 */

const PAGE = '/sign-out';

/**
 * Where a person signs out at the new API: the page for it (OpenID Connect RP-Initiated Logout 1.0), if the new API has
 * one, else the account settings.
 */
export async function signOutThere({ server, settings }: PageShell['context']): Promise<string> {
  const metadata = await server.metadata().catch(() => undefined);
  if (metadata?.endSessionEndpoint === undefined) return settings.modernSettingsUrl;
  const address = new URL(metadata.endSessionEndpoint);
  address.searchParams.set('client_id', server.clientId);
  return address.href;
}

/** A browser that is signed in, or is again, is led on. */
function showSignedOut(frame: PageShell): RequestHandler {
  return async (req, res) => {
    if (personOf(req)) return res.redirect(303, '/apps/account');
    const there = await signOutThere(frame.context);
    frame.page(res, 'signed-out', { title: 'You are signed out', there, host: new URL(there).host });
  };
}

/** Adds the sign-out and the page after it. */
export function signOutRoutes(router: Router, frame: PageShell): void {
  router.get(PAGE, showSignedOut(frame));
  router.post(PAGE, async (req, res) => {
    // Staff of the company have no session at the new API.
    const next = companyStaffOf(req) === undefined ? PAGE : '/';
    await signOut(req);
    res.redirect(303, next);
  });
}
