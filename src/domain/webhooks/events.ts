import type { WebhookKind } from '../../store/webhooks/webhooks.ts';

/** What a webhook can be told of. docs/webhooks.md describes the message of each. */

export const WEBHOOK_EVENTS = {
  app: ['token.stopped', 'token.resumed', 'date.moved', 'calls.quiet'],
  support: ['queues.daily', 'queues.hourly'],
  operator: ['connection.ended', 'consent.finished', 'date.moved', 'token.leaked'],
} as const satisfies Record<WebhookKind, readonly string[]>;

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[WebhookKind][number];

/** Also the message that a person sends to try the webhook. */
export type MessageEvent = WebhookEvent | 'test';

/** The events of a kind among these names. */
export function eventsAmong(kind: WebhookKind, names: readonly string[]): WebhookEvent[] {
  return WEBHOOK_EVENTS[kind].filter((event) => names.includes(event));
}
