import type { Router } from 'express';
import type { PageShell } from '../../site/page-shell.ts';
import { webhookRoutes } from '../../webhooks/routes.ts';

/** Adds /support/webhooks: servers that are told how many rows each desk has. */
export function supportWebhookRoutes(router: Router, frame: PageShell): void {
  const owner = { kind: 'support' as const, clientId: null };
  const site = {
    owner,
    base: '/support/webhooks',
    title: 'Webhooks of the desks',
    mayManage: true,
    maySeeSecrets: true,
    frameOf: async () => ({}),
  };
  webhookRoutes(router, frame, {
    pattern: site.base,
    requires: [frame.requireRole('lead')],
    siteOf: async () => site,
  });
}
