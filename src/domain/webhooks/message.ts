import { newOrderedId } from '../../shared/ids.ts';
import { isoMoment } from '../../shared/moments.ts';
import type { Database } from '../../store/driver/store.ts';
import { countOpen, insertDeliveries, type NewDelivery } from '../../store/webhooks/deliveries.ts';
import { countLeftOut, listWebhooksFor } from '../../store/webhooks/webhooks.ts';
import type { MessageEvent, WebhookEvent } from './events.ts';

/** Messages on their way to the webhooks that want them. */

/** What happened, for the webhooks that are told of it. */
export interface WebhookMessage {
  event: WebhookEvent;
  /** Names what is told. A webhook is told it once. */
  told: string;
  at: number;
  /** When the hour or day began that the message is of. A webhook that was added later hears of the next one first. */
  periodBegan?: number;
  /** The app whose owner is told; null for the owners of all apps, and for what concerns no app. */
  clientId: string | null;
  /** The content for a webhook; no secret, no name and no address of a person. */
  dataFor: (webhook: { kind: string; clientId: string | null }) => object;
}

/** The most messages that wait for one webhook. Further ones are left out and counted. */
export const WAITING_MAX = 1000;

/** Events that no change causes: the row of a message alone tells that it was told. */
export const TIMED_EVENTS: readonly string[] = [
  'queues.hourly',
  'queues.daily',
  'calls.quiet',
] satisfies WebhookEvent[];

/** The body of a message (the form that the Standard Webhooks specification advises). */
export function bodyOf(event: MessageEvent, at: number, data: object): string {
  return JSON.stringify({ type: event, timestamp: isoMoment(at), data });
}

type Listener = Awaited<ReturnType<typeof listWebhooksFor>>[number];

/** A webhook hears nothing of what happened before it was added. */
const hears = (
  { client_id: own, kind, created_at }: Listener,
  { clientId, at, periodBegan = at }: WebhookMessage,
) => periodBegan >= created_at && (kind !== 'app' || clientId === null || clientId === own);

function deliveryOf(webhook: Listener, message: WebhookMessage, now: number): NewDelivery {
  const { id: webhookId, kind, client_id: clientId } = webhook;
  const { event, told, at } = message;
  const body = bodyOf(event, at, message.dataFor({ kind, clientId }));
  return { id: newOrderedId(now), webhook_id: webhookId, event, told, body, created_at: now };
}

async function listenersOf(
  tx: Database,
  messages: readonly WebhookMessage[],
): Promise<Map<WebhookEvent, Listener[]>> {
  const listeners = new Map<WebhookEvent, Listener[]>();
  for (const event of new Set(messages.map((message) => message.event)))
    listeners.set(event, await listWebhooksFor(tx, event));
  return listeners;
}

const isTimed = ({ event }: NewDelivery) => TIMED_EVENTS.includes(event);

/** Leaves out what is too much for a webhook, and counts it. What time causes is found again until there is room. */
async function withinBounds(tx: Database, deliveries: readonly NewDelivery[]): Promise<NewDelivery[]> {
  const waiting = await countOpen(tx, [...new Set(deliveries.map((one) => one.webhook_id))]);
  const leftOut = new Map<string, number>();
  const kept = deliveries.filter((one) => {
    const id = one.webhook_id;
    const before = waiting.get(id) ?? 0;
    waiting.set(id, before + 1);
    if (before >= WAITING_MAX && !isTimed(one)) leftOut.set(id, (leftOut.get(id) ?? 0) + 1);
    return before < WAITING_MAX;
  });
  for (const [id, count] of leftOut) await countLeftOut(tx, id, count);
  return kept;
}

/** Keeps the messages for every webhook that wants them, in the transaction of whoever found out. */
export async function keepMessages(
  tx: Database,
  messages: readonly WebhookMessage[],
  now: number,
): Promise<void> {
  const listeners = await listenersOf(tx, messages);
  const deliveries = messages.flatMap((message) =>
    (listeners.get(message.event) ?? [])
      .filter((webhook) => hears(webhook, message))
      .map((webhook) => deliveryOf(webhook, message, now)),
  );
  await insertDeliveries(tx, await withinBounds(tx, deliveries));
}
