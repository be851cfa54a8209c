import type { WebhooksDeps } from '../../domain/webhooks/deps.ts';

/** This room uses no part of the context itself; the rooms that it calls do. */
export type PagesDeps = WebhooksDeps;
