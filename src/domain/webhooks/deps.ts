import type { WebhookReach } from '../../upstream/webhooks/post-webhook.ts';
import type { SupportDeps } from '../support/deps.ts';
import type { WebhookPlaces } from './places.ts';

/** The parts of the context that this room uses. The parts of the rooms that it calls come by `extends`. */
export type WebhooksDeps = SupportDeps & {
  webhooks: { reach: WebhookReach; places: WebhookPlaces };
};
