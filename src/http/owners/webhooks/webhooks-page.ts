import type { Request, Router } from 'express';
import { mayManage } from '../../../domain/apps/app-access.ts';
import { type PageShell, signedInPerson } from '../../site/page-shell.ts';
import { webhookRoutes } from '../../webhooks/routes.ts';
import type { WebhookNeed } from '../../webhooks/webhook-site.ts';
import type { OwnersDeps } from '../deps.ts';
import { underHead } from '../head/app-head.ts';
import { managedApp, ownedApp, seenApp, type SeenApp } from '../owned-app.ts';

type AppLookup = (context: OwnersDeps, req: Request) => Promise<SeenApp>;

/** A new webhook, and a new secret of one, are shown with the secret. */
const APP_FOR: Readonly<Record<WebhookNeed, AppLookup>> = {
  see: seenApp,
  manage: managedApp,
  secrets: ownedApp,
};

/** Adds /apps/:clientId/webhooks: servers of the owner that are told of the app. */
export function ownersWebhookRoutes(router: Router, frame: PageShell): void {
  const { context } = frame;
  webhookRoutes(router, frame, {
    pattern: '/apps/:clientId/webhooks',
    requires: [frame.requirePerson],
    async siteOf(req, needed) {
      const seen = await APP_FOR[needed](context, req);
      const { client_id: clientId, name } = seen.app;
      return {
        owner: { kind: 'app' as const, clientId },
        ownerId: signedInPerson(req).accountId,
        base: `/apps/${clientId}/webhooks`,
        title: `Webhooks of “${name}”`,
        mayManage: mayManage(seen.access),
        maySeeSecrets: seen.access === 'owner',
        frameOf: () => underHead(context, seen, 'webhooks'),
      };
    },
  });
}
