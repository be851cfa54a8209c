import type { Router } from 'express';
import type { PageShell } from '../../site/page-shell.ts';
import { webhookRoutes } from '../../webhooks/routes.ts';
import { ownedApp } from '../owned-app.ts';

/** Adds /apps/:clientId/webhooks: servers of the owner that are told of the app. */
export function ownersWebhookRoutes(router: Router, frame: PageShell): void {
  webhookRoutes(router, frame, {
    pattern: '/apps/:clientId/webhooks',
    requires: [frame.requirePerson],
    async siteOf(req) {
      const app = await ownedApp(frame.context, req);
      const { client_id: clientId, name } = app;
      const owner = { kind: 'app' as const, clientId };
      return { owner, base: `/apps/${clientId}/webhooks`, title: `Webhooks of “${name}”`, app };
    },
  });
}
