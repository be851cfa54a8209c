import { newOrderedId } from '../../shared/ids.ts';
import type { DeliveryRow } from '../../store/webhooks/deliveries.ts';
import { insertDeliveries } from '../../store/webhooks/deliveries.ts';
import {
  countDeliveries,
  hastenEvent,
  isEventOpen,
  listDeliveries,
  reviveDelivery,
} from '../../store/webhooks/listed-deliveries.ts';
import {
  endReceiverRest,
  listWebhooks,
  type WebhookOwner,
  type WebhookRow,
} from '../../store/webhooks/webhooks.ts';
import { webhookOf, webhookToChange } from './change-webhooks.ts';
import type { WebhooksDeps } from './deps.ts';
import { bodyOf } from './message.ts';

/** What people see of a webhook, and what they may send by hand. */

export type { DeliveryRow as WebhookDelivery, WebhookOwner };

/** How many messages a page shows of each list. */
const SHOWN = 20;

/** The webhooks of an owner, the oldest first. */
export async function webhooksOf(
  { store }: Pick<WebhooksDeps, 'store'>,
  owner: WebhookOwner,
): Promise<WebhookRow[]> {
  return listWebhooks(store.durable, owner);
}

/** A webhook with its messages. */
export interface WebhookView {
  webhook: WebhookRow;
  counts: Awaited<ReturnType<typeof countDeliveries>>;
  /** The newest messages. */
  last: DeliveryRow[];
  /** The newest messages that were given up. */
  dead: DeliveryRow[];
}

interface OwnedWebhook {
  id: string;
  owner: WebhookOwner;
}

/** A webhook of this owner with its newest messages; undefined where it is not there. */
export async function viewWebhook(
  { store: { durable } }: Pick<WebhooksDeps, 'store'>,
  asked: OwnedWebhook,
): Promise<WebhookView | undefined> {
  const webhook = await webhookOf(durable, asked);
  if (!webhook) return undefined;
  const [counts, last, dead] = await Promise.all([
    countDeliveries(durable, webhook.id),
    listDeliveries(durable, webhook.id, { limit: SHOWN }),
    listDeliveries(durable, webhook.id, { limit: SHOWN, state: 'dead' }),
  ]);
  return { webhook, counts, last, dead };
}

/**
 * Sends a message that only tries the webhook. One that failed and would wait for its next attempt is sent now instead;
 * `waits` while one is on its way. Undefined where the webhook is not there.
 */
export async function sendTest(
  { store, clock }: Pick<WebhooksDeps, 'store' | 'clock'>,
  asked: OwnedWebhook,
): Promise<'sent' | 'waits' | undefined> {
  return store.transaction(async (tx) => {
    const webhook = await webhookToChange(tx, asked);
    if (!webhook) return undefined;
    const now = clock.now();
    if (await hastenEvent(tx, { webhookId: webhook.id, event: 'test', now })) {
      await endReceiverRest(tx, webhook.id);
      return 'sent';
    }
    if (await isEventOpen(tx, webhook.id, 'test')) return 'waits';
    const id = newOrderedId(now);
    const body = bodyOf('test', now, { webhook_id: webhook.id });
    const row = { id, webhook_id: webhook.id, event: 'test', told: `test:${id}`, body, created_at: now };
    await insertDeliveries(tx, [row]);
    await endReceiverRest(tx, webhook.id);
    return 'sent';
  });
}

/** Sends a message again that was given up; false where it was not given up. */
export async function sendMessageAgain(
  { store, clock }: Pick<WebhooksDeps, 'store' | 'clock'>,
  { deliveryId, ...asked }: OwnedWebhook & { deliveryId: string },
): Promise<boolean> {
  return store.transaction(async (tx) => {
    const webhook = await webhookToChange(tx, asked);
    if (!webhook) return false;
    const due = { id: deliveryId, webhookId: webhook.id, now: clock.now() };
    if (!(await reviveDelivery(tx, due))) return false;
    await endReceiverRest(tx, webhook.id);
    return true;
  });
}
