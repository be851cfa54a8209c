import type { Router } from 'express';
import type { PageShell } from '../site/page-shell.ts';
import { listHandlers } from './list-page.ts';
import { webhookHandlers } from './webhook-page.ts';
import type { WebhookRoutes } from './webhook-site.ts';

/** Adds the pages of webhooks below an address of an app or of support. */
export function webhookRoutes(router: Router, frame: PageShell, routes: WebhookRoutes): void {
  const { pattern, requires } = routes;
  const [list, one] = [listHandlers(frame, routes), webhookHandlers(frame, routes)];
  router.get(pattern, ...requires, list.show);
  router.post(pattern, ...requires, list.add);
  router.get(`${pattern}/:webhookId`, ...requires, one.show);
  router.post(`${pattern}/:webhookId/test`, ...requires, one.test);
  router.post(`${pattern}/:webhookId/again`, ...requires, one.again);
  router.post(`${pattern}/:webhookId/secret`, ...requires, one.changeSecret);
  router.post(`${pattern}/:webhookId/remove`, ...requires, one.remove);
}
