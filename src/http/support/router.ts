import { Router } from 'express';
import type { PageShell } from '../site/page-shell.ts';
import { supportAccountRoutes } from './account/account-page.ts';
import { accountListRoutes } from './accounts/accounts-page.ts';
import { actionRoutes } from './actions/actions.ts';
import { apiKeyRoutes } from './api-keys/api-keys-page.ts';
import { supportAppRoutes } from './app/app-page.ts';
import { deskRoutes } from './desks/desks.ts';
import { mappingRoutes } from './token/mapping-page.ts';
import { numberRoutes } from './numbers/numbers.ts';
import { requestRoutes } from './request/request-page.ts';
import { searchRoutes } from './search/search-page.ts';
import { supportWebhookRoutes } from './webhooks/webhooks-page.ts';

/** The pages of support. Every address below /support is for staff, and each action names the role that it needs. */
export function supportRouter(frame: PageShell): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use('/support', frame.requireRole('reader'));
  searchRoutes(router, frame);
  mappingRoutes(router, frame);
  requestRoutes(router, frame);
  accountListRoutes(router, frame);
  supportAccountRoutes(router, frame);
  supportAppRoutes(router, frame);
  actionRoutes(router, frame);
  apiKeyRoutes(router, frame);
  deskRoutes(router, frame);
  numberRoutes(router, frame);
  supportWebhookRoutes(router, frame);
  return router;
}
