import { Router } from 'express';
import type { SigninParts } from '../signin/parts.ts';
import { appRoutes } from './app-page.ts';
import { appsRoutes } from './apps-page.ts';
import { connectLinkRoutes } from './connect-link.ts';
import { createFrame } from './frame.ts';
import { modernClientRoutes } from './modern-client.ts';
import { notMeRoutes } from './not-me.ts';
import { pasteTokenRoutes } from './paste-token.ts';
import { proveEmailRoutes } from './prove-email-pages.ts';
import { registerRoutes } from './register.ts';
import { rehearseRoutes } from './rehearse.ts';
import { secretRoutes } from './secrets.ts';

/** The pages of account holders and app owners, in the order in which their addresses are tried. */
export function ownersRouter(parts: SigninParts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const frame = createFrame(parts);
  router.use(['/apps', '/sign-out'], ...frame.guard);
  appsRoutes(router, frame);
  // Addresses with a word of their own come before /apps/:clientId.
  connectLinkRoutes(router, frame);
  proveEmailRoutes(router, frame);
  registerRoutes(router, frame);
  pasteTokenRoutes(router, frame);
  appRoutes(router, frame);
  secretRoutes(router, frame);
  modernClientRoutes(router, frame);
  notMeRoutes(router, parts);
  rehearseRoutes(router, frame);
  return router;
}
