import { Router } from 'express';
import type { SigninPagesDeps } from '../signin/parts.ts';
import { accountRoutes } from './account/account-page.ts';
import { signOutRoutes } from './account/sign-out.ts';
import { appRoutes } from './app/app-page.ts';
import { appsRoutes } from './home/apps-page.ts';
import { callsRoutes } from './calls/calls-page.ts';
import { connectLinkRoutes } from './connect/connect-link.ts';
import { connectedRoutes } from './connected/connected-page.ts';
import type { PageShell } from '../site/page-shell.ts';
import { contactsRoutes } from './credentials/contacts-page.ts';
import { appFileRoutes } from './files/files.ts';
import { liveRoutes } from './live/live-page.ts';
import { modernClientRoutes } from './credentials/modern-client.ts';
import { moveRoutes } from './move/move-page.ts';
import { newCallsRoutes } from './new-calls/app-page.ts';
import { notMeRoutes } from './connect/not-me.ts';
import { pasteTokenRoutes } from './connect/paste-token.ts';
import { progressRoutes } from './progress/progress-page.ts';
import { proveEmailRoutes } from './connect/prove-email-pages.ts';
import { registerRoutes } from './credentials/register.ts';
import { rehearseRoutes } from './rehearsal/rehearse.ts';
import { secretRoutes } from './credentials/secrets.ts';
import { leaveAppRoutes } from './shared/leave-app.ts';
import { tokensRoutes } from './tokens/tokens-page.ts';
import { ownersWebhookRoutes } from './webhooks/webhooks-page.ts';

/** The pages of account holders and app owners. Addresses are matched in this order. */
export function ownersRouter(parts: SigninPagesDeps, frame: PageShell): Router {
  const router = Router({ caseSensitive: true, strict: true });
  appsRoutes(router, frame);
  signOutRoutes(router, frame);
  // Addresses with a fixed word come before /apps/:clientId.
  connectLinkRoutes(router, frame);
  proveEmailRoutes(router, frame);
  registerRoutes(router, frame);
  pasteTokenRoutes(router, frame);
  progressRoutes(router, frame);
  accountRoutes(router, frame);
  appRoutes(router, frame);
  connectedRoutes(router, frame);
  secretRoutes(router, frame);
  modernClientRoutes(router, frame);
  notMeRoutes(router, parts);
  rehearseRoutes(router, frame);
  appFileRoutes(router, frame);
  tokensRoutes(router, frame);
  callsRoutes(router, frame);
  liveRoutes(router, frame);
  moveRoutes(router, frame);
  newCallsRoutes(router, frame);
  contactsRoutes(router, frame);
  leaveAppRoutes(router, frame);
  ownersWebhookRoutes(router, frame);
  return router;
}
